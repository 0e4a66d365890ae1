# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs in the lab's machine, on a fabric that is up. Prints blocks that compare.py reads:
#   @one_way BYTES         and ib_write_lat's line of results
#   @two_way BYTES         and that of ib_write_bw, both ways with one write at a time
#   @ours NAME BYTES...    and a JSON report on one line

# ours NAME BYTES ITERATIONS [lab_ranks options --] OPTION...
ours() {
  local name=$1 bytes=$2 iterations=$3 size
  shift 3
  # shellcheck disable=SC2086
  for size in $bytes; do
    lab_ranks -t 120 "${ours_environment[@]}" roce_all_reduce_perf --transport verbs --percentiles \
      -b "$size" -e "$size" -n "$iterations" -w 50 -J /tmp/report.json "$@" >/tmp/ours.log 2>&1 || {
      cat /tmp/ours.log >&2
      return 1
    }
    echo "@ours $name $size"
    tr -d '\n' </tmp/report.json
    echo
  done
}

# perftest NAME BYTES PROGRAM OPTION...: a perftest program on both ends of the first cable.
perftest() {
  local name=$1 bytes=$2 server client port=$((18600 + RANDOM % 1000))
  shift 2
  server=$(lab_node_devices 0) client=$(lab_node_devices 1)
  "$@" -d "${server%%,*}" -x 1 -s "$bytes" -p "$port" -F >/tmp/server.log 2>&1 &
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.3
    if "$@" -d "${client%%,*}" -x 1 -s "$bytes" -p "$port" -F 127.0.0.1 >/tmp/client.log 2>&1; then
      wait
      echo "@$name $bytes"
      awk '/#bytes/ {getline; print}' /tmp/client.log
      return
    fi
  done
  kill %% 2>/dev/null
  cat /tmp/server.log /tmp/client.log >&2
  return 1
}

# pair ROUNDS ITERATIONS SIZE...: everything once a round, so that a drift meets all alike.
pair() {
  local rounds=$1 iterations=$2 round size mode
  shift 2
  for ((round = 0; round < rounds; ++round)); do
    for size in "$@"; do
      perftest one_way "$size" ib_write_lat -n "$iterations" || return
      perftest two_way "$size" ib_write_bw -b -t 1 -n "$iterations" || return
      for mode in trailer flag imm; do
        ours_environment=(-e "ROCE_FLAG_MODE=$mode")
        ours "$mode" "$size" "$iterations" || return
      done
    done
  done
}

# schedules ROUNDS ITERATIONS SIZE...
schedules() {
  local rounds=$1 iterations=$2 round name
  shift 2
  ours_environment=()
  for ((round = 0; round < rounds; ++round)); do
    for name in one_shot two_shot bidirectional_relay; do
      ours "$name" "$*" "$iterations" --schedule "$name" || return
    done
  done
}
