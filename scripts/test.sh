#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
#   scripts/test.sh            labels fast and ci, as CI does
#   scripts/test.sh fast       the everyday loop
#   scripts/test.sh full       everything, full sizes
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-ci}" in
  fast) labels='^fast$' ;;
  ci) labels='^(fast|ci)$' ;;
  full) labels='.*' ;;
  *) echo "usage: scripts/test.sh [fast|ci|full]" >&2; exit 2 ;;
esac

scripts/setup.sh
cmake --preset ci >/dev/null
cmake --build --preset ci
ctest --test-dir build -j2 -L "$labels" --output-on-failure --no-tests=error
