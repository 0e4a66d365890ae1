#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests of several hosts over TCP on one machine: each host is a network namespace on a bridge.
#
#   tests/netns/run.sh                      all scenarios
#   tests/netns/run.sh killed_rank          these
#   tests/netns/run.sh --list               what there is
#   tests/netns/run.sh --build build-asan   programs of another build (default build)
#
# Nothing is left behind, even when it is killed: interfaces, mounts and processes live in
# namespaces of their own that end with it, so that runs do not collide either.
# Status: 0 all passed, 1 a scenario failed, 2 wrong use, 77 it can't run here (it says why).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$here/../.." && pwd)/build
export PATH="$PATH:/usr/sbin:/sbin"

# shellcheck source=tests/netns/hosts.sh
. "$here/hosts.sh"
# shellcheck source=tests/netns/scenarios.sh
. "$here/scenarios.sh"

cannot_run() {
  echo "tests/netns/run.sh: skipped: $*" >&2
  exit 77
}

scenarios=()
parse_options() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      -h | --help)
        sed -n '/^# Tests of/,/^# Status/s/^# \{0,1\}//p' "$here/run.sh"
        exit 0
        ;;
      --list)
        printf '%s\n' "${all_scenarios[@]}"
        exit 0
        ;;
      --build)
        build=$(cd "${2:?--build needs a folder}" && pwd)
        shift
        ;;
      *)
        declare -F "scenario_$1" >/dev/null || {
          echo "tests/netns/run.sh: no scenario '$1'; see --list" >&2
          exit 2
        }
        scenarios+=("$1")
        ;;
    esac
    shift
  done
  [[ ${#scenarios[@]} -gt 0 ]] || scenarios=("${all_scenarios[@]}")
}

# Starts this script again in namespaces of its own.
isolate() {
  local flags=(--mount --net --pid --fork --kill-child --mount-proc) reason
  [[ $(id -u) == 0 ]] || flags=(--user --map-root-user "${flags[@]}")
  command -v unshare >/dev/null || cannot_run "there is no unshare; install util-linux"
  command -v ip >/dev/null || cannot_run "there is no ip; install iproute2"
  reason=$(unshare "${flags[@]}" true 2>&1) || cannot_run "no right to make namespaces: $reason"
  exec unshare "${flags[@]}" "$here/run.sh" --build "$build" "${scenarios[@]}"
}

run_scenarios() {
  local scenario failed=0 begin
  for scenario in "${scenarios[@]}"; do
    begin=$SECONDS
    if ("scenario_$scenario"); then
      echo "ok      $scenario ($((SECONDS - begin)) s)"
    else
      echo "FAILED  $scenario ($((SECONDS - begin)) s)"
      failed=$((failed + 1))
      show_logs
    fi
    remove_hosts
  done
  [[ $failed == 0 ]]
}

parse_options "$@"
if [[ $$ != 1 ]]; then
  isolate
fi
for program in roce_all_reduce_perf lab_conformance; do
  [[ -x $build/bin/$program ]] || cannot_run "$build/bin has no $program; build it first"
done
reason=$(prepare_hosts 2>&1) || cannot_run "no right to make network namespaces: $reason"
run_scenarios
