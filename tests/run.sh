#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh                            all tests, release build
#   tests/run.sh -R verifier                other arguments go to ctest
#   tests/run.sh --preset asan              a preset of CMakePresets.json
#   tests/run.sh --warnings-as-errors
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export PATH="$root/build-tools/bin:$PATH"

preset=release
configure=()
ctest_arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help)
      sed -n '3,9s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    --preset)
      [[ $# -ge 2 ]] || { echo "tests/run.sh: --preset needs a name" >&2; exit 2; }
      preset=$2
      shift
      ;;
    --warnings-as-errors) configure+=(-DROCE_WERROR=ON) ;;
    *) ctest_arguments+=("$1") ;;
  esac
  shift
done

scripts/install_dependencies.sh build
cmake --preset "$preset" "${configure[@]}"
cmake --build --preset "$preset" -j "$(nproc)"
ctest --preset "$preset" "${ctest_arguments[@]}"
