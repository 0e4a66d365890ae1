#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures our all-reduce and Open MPI's alternately on this machine: the same sizes, ranks and
# cores. Installs and builds what is missing.
#
#   perf/compare_openmpi.sh                       the design's rows
#   perf/compare_openmpi.sh --json result.json    also as JSON
#   perf/compare_openmpi.sh --help
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH="$root/build-tools/bin:$PATH"

case " $* " in
  *" -h "* | *" --help "*) ;;
  *)
    "$root/scripts/install_dependencies.sh" build openmpi
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { cmake -S "$root" --preset release && cmake --build "$root/build" -j "$(nproc)" \
      --target rocectl roce_all_reduce_perf all_reduce_openmpi; } >"$log" 2>&1; then
      cat "$log" >&2
      echo "compare_openmpi.sh: the build failed; its output is above" >&2
      exit 1
    fi
    ;;
esac
python3 "$root/perf/openmpi/compare.py" --bin "$root/build/bin" "$@"
