#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests over real RoCEv2 (Soft-RoCE) in a QEMU machine; nothing is installed on this one.
#
#   tests/lab/run.sh                             every scenario
#   tests/lab/run.sh devices ring_links@ring-4   these: a scenario, or it on one fabric
#   tests/lab/run.sh --list                      what there is
#   tests/lab/run.sh --fabric "pair" --exec 'lab_ranks build/bin/roce_all_reduce_perf -b 8 -e 8'
#   tests/lab/run.sh --shell "ring 4 rails 2"    a shell in the machine; Ctrl-D ends it
#
# Options:
#   --build DIR      whose bin/ comes first in the machine's PATH (default build)
#   --keep-going     go on after a scenario that failed
#   --timeout S      end everything after S seconds (default: boot and all scenarios' own limits)
#   --junit FILE     also write a JUnit report, a test case for each scenario
#   --fabric F       for --exec: pair, triangle, ring N, line N, mesh N, switch N, and then
#                    rails 1|2, mtu 1500|4500|9000
#   --exec COMMAND   run a bash COMMAND on that fabric, here (same folder, same files, writes are
#                    lost), with the functions of guest/; output and status are the command's
#   --require        status 1 instead of 77 when the lab can't run here
#
# Status: 0 all passed, 1 a scenario failed, 2 wrong use, 77 the lab can't run here (it says why).
# Environment: ROCE_LAB_CACHE, the folder of the unpacked kernel (default ~/.cache/roce-lab);
# ROCE_LAB_KERNEL, a folder with boot/ and lib/modules/ of another kernel with rdma_rxe.
set -euo pipefail

lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$lab/../.." && pwd)
export PATH="$PATH:/usr/sbin:/sbin"
# shellcheck source=tests/lab/kernel.sh
. "$lab/kernel.sh"
# shellcheck source=tests/lab/machine.sh
. "$lab/machine.sh"
# shellcheck source=tests/lab/guest/fabric.sh
. "$lab/guest/fabric.sh"
# shellcheck source=tests/lab/scenarios.sh
. "$lab/scenarios.sh"

build=$root/build
fabric='' command='' shell='' timeout='' junit=''
keep_going=0 list=0 status_when_unable=77
scenarios=()

usage_error() {
  echo "tests/lab/run.sh: $*; see --help" >&2
  exit 2
}

cannot_run() {
  echo "tests/lab/run.sh: cannot run here: $*" >&2
  exit "$status_when_unable"
}

parse_options() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      -h | --help)
        sed -n '/^# Runs/,/^set/s/^# \{0,1\}//p' "$lab/run.sh"
        exit 0
        ;;
      --list) list=1 ;;
      --keep-going) keep_going=1 ;;
      --require) status_when_unable=1 ;;
      --build | --fabric | --exec | --shell | --timeout | --junit)
        [[ $# -ge 2 ]] || usage_error "$1 needs a value"
        case $1 in
          --build) build=$2 ;;
          --fabric) fabric=$2 ;;
          --exec) command=$2 ;;
          --shell) shell=$2 ;;
          --timeout) timeout=$2 ;;
          --junit) junit=$2 ;;
        esac
        shift
        ;;
      -*) usage_error "no option $1" ;;
      *) scenarios+=("$1") ;;
    esac
    shift
  done
  [[ -z $timeout || $timeout =~ ^[1-9][0-9]*$ ]] || usage_error "--timeout $timeout: no seconds"
  [[ -n $fabric || -z $command ]] || usage_error "--exec needs --fabric"
  [[ -z $fabric || -n $command ]] || usage_error "--fabric needs --exec"
  # shellcheck disable=SC2086
  [[ -z $fabric$shell ]] || fabric_parse $fabric$shell || exit 2
  [[ -z $command && -z $shell || ${#scenarios[@]} == 0 ]] ||
    usage_error "scenarios (${scenarios[*]}) do not go with --exec or --shell"
}

check_host() {
  local tool missing=()
  [[ $(uname -m) == x86_64 ]] || cannot_run "the machine is x86-64, this host is $(uname -m)"
  for tool in qemu-system-x86_64 busybox cpio modprobe depmod ip rdma ibv_rc_pingpong \
    ib_write_lat setpriv; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [[ ${#missing[@]} == 0 ]] ||
    cannot_run "no ${missing[*]}; scripts/install_dependencies.sh lab installs them"
  [[ ! $root =~ ^/(dev|run|proc|sys)/ ]] || cannot_run "$root is hidden in the machine"
}

# make_work: a folder for this run. Those that killed runs left are removed.
make_work() {
  local base=${TMPDIR:-/tmp} old pid
  for old in "$base"/roce-lab.*.*; do
    pid=${old#"$base"/roce-lab.}
    [[ ! -O $old || -d /proc/${pid%%.*} ]] || rm -rf "$old"
  done
  work=$(mktemp -d "$base/roce-lab.$$.XXXXXX")
  mkdir "$work/share"
}

clean_up() {
  stop_machine
  rm -rf "${work:-}"
}

# write_job MODE NAME=VALUE...: what the machine shall do.
write_job() {
  local mode=$1 assignment
  shift
  for assignment in "LAB_MODE=$mode" "LAB_SOURCE=$lab" "LAB_BIN=$(realpath -m "$build")/bin" \
    "LAB_KERNEL=$(realpath "$kernel_root")" "LAB_DIRECTORY=$PWD" "$@"; do
    # Single quotes only: the first process of the machine reads it with busybox's shell.
    local value=${assignment#*=} quote="'\\''"
    printf "%s='%s'\n" "${assignment%%=*}" "${value//\'/"$quote"}"
  done >"$work/share/job"
}

# Prints what the command says while it says it, and returns its status.
run_exec() {
  write_job command "LAB_FABRIC=$fabric" "LAB_COMMAND=$command"
  : >"$work/share/out"
  : >"$work/share/err"
  qemu_command "$work/share"
  boot_machine "${timeout:-600}"
  follow "$work/share/out" &
  follow "$work/share/err" >&2 &
  wait
  machine=
  [[ -s $work/share/status ]] || {
    echo "tests/lab/run.sh: the machine ended without an answer (limit ${timeout:-600} s)" >&2
    show_console
    return 1
  }
  return "$(<"$work/share/status")"
}

run_shell() {
  local size
  [[ -t 0 && -t 1 ]] || usage_error "--shell needs a terminal"
  size=$(stty size)
  write_job shell "LAB_FABRIC=$shell" "LAB_ROWS=${size% *}" "LAB_COLUMNS=${size#* }"
  qemu_command "$work/share"
  timeout --foreground "${timeout:-0}" setpriv --pdeathsig KILL "${qemu[@]}" -serial stdio
}

main() {
  parse_options "$@"
  if [[ $list == 1 ]]; then
    all_cases | cut -d ' ' -f 1
    return
  fi
  local cases=''
  [[ -n $shell$command ]] || cases=$(select_cases "${scenarios[@]}")
  check_host
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  lab_kernel
  make_work
  make_initrd "$kernel_root" "$work/initrd"
  if [[ -n $shell ]]; then
    run_shell
  elif [[ -n $command ]]; then
    run_exec
  else
    echo "$cases" >"$work/cases"
    run_scenarios
  fi
}

main "$@"
