#!/usr/bin/env bash
# Fuzzes the importers with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
#   scripts/fuzz.sh [SECONDS] [NAME...]   SECONDS for each importer (default 600); NAME such as
#                                         tflite_import (default: all)
# A finding is left in out/fuzz/NAME/findings; once mended, it belongs in tests/fuzz/corpus/NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-600}"
[[ "$seconds" =~ ^[0-9]+$ ]] || { echo "usage: scripts/fuzz.sh [SECONDS] [NAME...]" >&2; exit 2; }
shift || true
names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
  for source in tests/fuzz/*_fuzzer.cc; do
    name="$(basename "$source" .cc)"
    names+=("${name%_fuzzer}")
  done
fi

scripts/setup.sh --fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
status=0
for name in "${names[@]}"; do
  work="out/fuzz/$name"
  mkdir -p "$work/corpus" "$work/findings"
  options=()
  [[ ! -f "tests/fuzz/$name.dict" ]] || options=("-dict=tests/fuzz/$name.dict")
  echo "fuzz: $name for $seconds s"
  "build-fuzz/tests/fuzz/${name}_fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 "${options[@]}" \
    -artifact_prefix="$work/findings/" "$work/corpus" "tests/fuzz/corpus/$name" \
    >"$work/log.txt" 2>&1 || status=1
  grep -E 'stat::number_of_executed_units|SUMMARY|runtime error' "$work/log.txt" || true
done
[[ $status -eq 0 ]] || echo "fuzz: findings, see out/fuzz/*/log.txt" >&2
exit $status
