#!/usr/bin/env bash
# Installs what is missing of the Debian 12 packages that bitwright builds, tests and trains with.
#   scripts/setup.sh          what a build and its tests need
#   scripts/setup.sh --fuzz   clang and libFuzzer too, for scripts/fuzz.sh
#   scripts/setup.sh --train  PyTorch and Fashion-MNIST too, to train the demo networks
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache git pkg-config
  libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libyaml-cpp-dev zlib1g-dev libpng-dev
  libeigen3-dev libonnx-dev libprotobuf-dev protobuf-compiler
  libsystemc-dev verilator iverilog yosys make perl python3
  libgtest-dev libgmock-dev libbenchmark-dev libflatbuffers-dev libgemmlowp-dev libonnx-testdata
)
if [[ "${1:-}" == "--train" ]]; then
  packages+=(python3-torch python3-numpy python3-onnx dataset-fashion-mnist)
elif [[ "${1:-}" == "--fuzz" ]]; then
  packages+=(clang libclang-rt-14-dev)
elif [[ $# -gt 0 ]]; then
  echo "usage: scripts/setup.sh [--fuzz|--train]" >&2
  exit 2
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ "$status" == "install ok installed" ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

echo "setup: installing ${missing[*]}" >&2
as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "setup: run as root, or install: ${missing[*]}" >&2; exit 2; }
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
