#!/usr/bin/env bash
# The demo: installs what is missing, builds the program, runs the demo network on all executors.
# All 10,000 test images when Debian's dataset-fashion-mnist is installed, else the 64 that come
# with the network. Results in out/demo.
#   scripts/run_demo.sh          as said
#   scripts/run_demo.sh --quick  the 64 images in any case
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ $# -gt 1 || ( $# -eq 1 && "$1" != "--quick" ) ]]; then
  echo "usage: scripts/run_demo.sh [--quick]" >&2
  exit 2
fi

scripts/setup.sh
build="${BITWRIGHT_BUILD_DIR:-build}"
[[ -f "$build/build.ninja" ]] || cmake --preset release -B "$build" >/dev/null
ninja -C "$build" bitwright >&2

data=/usr/share/datasets/fashion-mnist
images="$data/t10k-images-idx3-ubyte.gz"
labels="$data/t10k-labels-idx1-ubyte.gz"
if [[ "${1:-}" == "--quick" || ! -r "$images" || ! -r "$labels" ]]; then
  images=models/zoo/fashion_se_images.npy
  labels=models/zoo/fashion_se_labels.npy
fi

"$build/bitwright" run models/zoo/fashion_se.onnx --npu configs/npu/edge.yaml \
  --input "$images" --labels "$labels" --out out/demo
