#!/usr/bin/env bash
# Makes the committed generated files again: compiler/isa/ISA.md, rtl/gen/bw_isa_pkg.sv.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset ci >/dev/null
cmake --build --preset ci --target bw_isa_gen
mkdir -p rtl/gen
./build/compiler/isa/bw_isa_gen .
