# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# All-reduces without end on every node, into which scenarios bring faults. Sourced by scenarios.

# run_start [lab_start options]: then waits until packets flow.
run_start() {
  run_device=$(awk 'NR == 1 {print $3}' "$lab_devices")
  lab_start -t 100 -e ROCE_TIMEOUT=4s -e ROCE_ACK_TIMEOUT=16ms "$@" roce_all_reduce_perf \
    --transport verbs -b 1K -e 1K -n 100000000 -w 1
  run_await 300
}

# run_await PACKETS: until the first device has sent so many more.
run_await() {
  local begin deadline=$((SECONDS + 40))
  begin=$(lab_counter "$run_device" sent_pkts)
  until (($(lab_counter "$run_device" sent_pkts) - begin >= $1)); do
    ((SECONDS < deadline)) || {
      tail -n 20 "$lab_logs"/*.log >&2
      lab_fail "no traffic on $run_device"
    }
    sleep 0.1
  done
}

# run_ended SECONDS REGEX RANK...: all ranks end within that time of now, these by themselves, with
# a failure, and with a message that matches.
run_ended() {
  local limit=$1 pattern=$2 begin=$SECONDS rank
  shift 2
  lab_wait
  ((SECONDS - begin <= limit)) || lab_fail "the ranks took $((SECONDS - begin)) s to end"
  for rank in "$@"; do
    echo "rank $rank ended with status ${lab_statuses[rank]}: $(tail -n 1 "$lab_logs/$rank.log")"
    ((lab_statuses[rank] > 0 && lab_statuses[rank] < 124)) ||
      lab_fail "rank $rank ended with status ${lab_statuses[rank]}"
    grep -qE "$pattern" "$lab_logs/$rank.log" ||
      lab_fail "rank $rank does not say '$pattern': $(tail -n 5 "$lab_logs/$rank.log")"
  done
}

# conform FABRIC_KIND [lab_ranks options --] OPTION...: conformance on the whole fabric.
conform() {
  local kind=$1 options=()
  shift
  [[ $kind != triangle ]] || kind=ring
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  lab_ranks -t 200 -e ROCE_SEGMENT=4096 "${options[@]}" lab_conformance --fabric "$kind" "$@"
}
