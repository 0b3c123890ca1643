#!/usr/bin/env bash
# lint.sh TOOL SOURCE_DIR: reads every RTL module with one tool, over parameter sets from the smallest
# to the largest; any warning fails. `fault`: a width mismatch put in on purpose must be noticed.
set -euo pipefail
tool=$1
rtl=$2/rtl
shopt -s nullglob
sources=("$rtl"/gen/*.sv "$rtl"/*.sv)

parameter_sets=(
  "Lanes=16"
  "Lanes=1 ActBits=4 MultBits=1 ModeMask=4 LeftShiftMax=0 LutEntries=17 LutShiftMax=0 TableWords=1"
  "Lanes=4 MultBits=31 ModeMask=63 LutEntries=65552 LutShiftMax=30 TableWords=64"
  "Lanes=3 ActBits=16 ABits=48 MultBits=15 LutShiftMax=16 LutInterpolate=0"
  "Lanes=2 MultBits=1 ABits=48 LutEntries=4097"
)

need() {
  command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }
}

lint_verilator() {  # folder of sources, then -G options
  local dir=$1; shift
  verilator --lint-only -Wall --top-module bw_ppu -I"$dir" "$@" "$rtl"/gen/bw_isa_pkg.sv "$dir"/bw_ppu.sv
}

case "$tool" in
  verilator)
    need verilator
    for set in "${parameter_sets[@]}"; do
      options=()
      for parameter in $set; do options+=("-G$parameter"); done
      lint_verilator "$rtl" "${options[@]}"
    done ;;
  iverilog)
    need iverilog
    output=$(iverilog -g2012 -Wall -Wno-timescale -t null -s bw_ppu "${sources[@]}" 2>&1)
    [[ -z "$output" ]] || { echo "$output"; exit 1; } ;;
  yosys)
    need yosys
    for set in "${parameter_sets[@]}"; do
      options=""
      for parameter in $set; do options+=" -chparam ${parameter/=/ }"; done
      # The lookup tables must read as one memory, not as flip-flops.
      yosys -q -e '.*' -p "read_verilog -sv ${sources[*]}; hierarchy -check -top bw_ppu$options; proc;
        check -assert; select -assert-count 1 m:memory_q; select -assert-min 2 t:\$memrd"
    done ;;
  fault)
    need verilator
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cp "$rtl"/*.sv "$work"
    sed -i 's/x4_q <= x3;/x4_q <= product3_q;/' "$work/bw_ppu_lane.sv"
    cmp -s "$rtl/bw_ppu_lane.sv" "$work/bw_ppu_lane.sv" && { echo "the fault was not put in"; exit 1; }
    if lint_verilator "$work" >/dev/null 2>&1; then
      echo "the fault was not noticed"
      exit 1
    fi ;;
  *) echo "usage: lint.sh verilator|iverilog|yosys|fault SOURCE_DIR" >&2; exit 2 ;;
esac
echo "$tool: ok"
