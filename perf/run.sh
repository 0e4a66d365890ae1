#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and measures all-reduce among local processes.
#
#   perf/run.sh                              4 ranks, 8 B to 1 MiB
#   RANKS=2 perf/run.sh -b 64 -e 64K -f 4    other ranks and options (roce_all_reduce_perf --help)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export PATH="$root/build-tools/bin:$PATH"

scripts/install_dependencies.sh build
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake --preset release && cmake --build build -j "$(nproc)" \
  --target rocectl roce_all_reduce_perf; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "perf/run.sh: the build failed; its output is above" >&2
  exit 1
fi

options=("$@")
[[ $# -gt 0 ]] || options=(-b 8 -e 1M -f 2 -n 200 -w 20)
build/bin/rocectl run -n "${RANKS:-4}" -- build/bin/roce_all_reduce_perf "${options[@]}"
