# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Ranks of a program on the fabric's nodes.
#
#   lab_ranks PROGRAM ARGUMENT...        a rank a node; status of the lowest rank that failed
#   lab_ranks -p 2 -t 30 -e ROCE_TIMEOUT=5 PROGRAM...
#
#   lab_start [same options] PROGRAM...  in the background; then
#   lab_wait                             until all have ended; $lab_status, ${lab_statuses[RANK]}
#   lab_kill RANK [SIGNAL]               ends one (KILL)
#   lab_await RANK REGEX [SECONDS]       until its log has a line that matches
#
#   -p N            ranks a node (1); node i holds ranks i*N to i*N+N-1
#   -n N            ranks (nodes x ranks a node)
#   -t SECONDS      all are killed after that (60); their status is then 124
#   -e NAME=VALUE   in their environment; may come again
#
# Rank R finds ROCE_RANK, ROCE_SIZE, ROCE_LOCAL_RANK, ROCE_RENDEZVOUS, its node's devices in
# ROCE_HCA and its node's name in ROCE_HOSTID, and logs to $lab_logs/R.log. lab_ranks prints rank
# 0's log, and those of the ranks that failed to stderr.
lab_logs=/run/ranks
lab_pids=() lab_statuses=()
lab_port=$((21000 + RANDOM % 8000))

lab_start() {
  local OPTIND=1 option per_node=1 ranks='' limit=60 variables=() rank node
  while getopts p:n:t:e: option; do
    case $option in
      p) per_node=$OPTARG ;;
      n) ranks=$OPTARG ;;
      t) limit=$OPTARG ;;
      e) variables+=("$OPTARG") ;;
      *) return 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  ranks=${ranks:-$((fabric_nodes * per_node))}
  ((ranks <= fabric_nodes * per_node)) || {
    echo "lab_start: $ranks ranks do not fit on $fabric_nodes nodes x $per_node" >&2
    return 2
  }
  lab_port=$((lab_port + 1)) lab_pids=() lab_statuses=()
  local secret
  secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  rm -rf "$lab_logs" && mkdir -p "$lab_logs"
  for ((rank = 0; rank < ranks; ++rank)); do
    node=$((rank / per_node))
    env ROCE_RANK="$rank" ROCE_SIZE="$ranks" ROCE_LOCAL_RANK=$((rank % per_node)) \
      ROCE_RENDEZVOUS="127.0.0.1:$lab_port/$secret" ROCE_HOSTID="host$node" \
      ROCE_HCA="$(lab_node_devices "$node")" "${variables[@]}" \
      "$@" >"$lab_logs/$rank.log" 2>&1 </dev/null &
    lab_pids[rank]=$!
  done
  (sleep "$limit" && : >"$lab_logs/late" && kill -KILL "${lab_pids[@]}") >/dev/null 2>&1 &
  lab_watchdog=$!
}

lab_wait() {
  local rank status
  lab_status=0
  for rank in "${!lab_pids[@]}"; do
    status=0
    wait "${lab_pids[rank]}" 2>/dev/null || status=$?
    [[ $status != 137 || ! -e $lab_logs/late ]] || status=124
    lab_statuses[rank]=$status
    [[ $lab_status != 0 ]] || lab_status=$status
  done
  kill "$lab_watchdog" 2>/dev/null || true
}

lab_ranks() {
  lab_start "$@" || return
  lab_wait
  local rank
  cat "$lab_logs/0.log"
  for rank in "${!lab_statuses[@]}"; do
    [[ ${lab_statuses[rank]} != 0 ]] || continue
    echo "rank $rank ended with status ${lab_statuses[rank]}" >&2
    ((rank == 0)) || sed "s/^/rank $rank: /" "$lab_logs/$rank.log" >&2
  done
  return "$lab_status"
}

lab_kill() {
  kill -"${2:-KILL}" "${lab_pids[$1]}"
}

lab_await() {
  local deadline=$((SECONDS + ${3:-30}))
  until grep -qE "$2" "$lab_logs/$1.log" 2>/dev/null; do
    if ((SECONDS >= deadline)) || ! kill -0 "${lab_pids[$1]}" 2>/dev/null; then
      echo "lab_await: rank $1 has not said '$2':" >&2
      tail -n 20 "$lab_logs/$1.log" >&2
      return 1
    fi
    sleep 0.1
  done
}
