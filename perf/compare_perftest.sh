#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures over Soft-RoCE, in tests/lab's machine: our all-reduce of 2 ranks and perftest in
# turn, for each flag mode; then our schedules against each other at 4 and 8 ranks behind a switch.
# Installs and builds what is missing.
#
#   perf/compare_perftest.sh
#   perf/compare_perftest.sh --json result.json
#   perf/compare_perftest.sh --help
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH="$root/build-tools/bin:$PATH"

case " $* " in
  *" -h "* | *" --help "*) ;;
  *)
    "$root/scripts/install_dependencies.sh" build lab
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { cmake -S "$root" --preset release && cmake --build "$root/build" -j "$(nproc)" \
      --target roce_all_reduce_perf; } >"$log" 2>&1; then
      cat "$log" >&2
      echo "compare_perftest.sh: the build failed; its output is above" >&2
      exit 1
    fi
    ;;
esac
python3 "$root/perf/perftest/compare.py" "$@"
