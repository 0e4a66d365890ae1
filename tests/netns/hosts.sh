# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Hosts as network namespaces on one bridge, and ranks of programs on them. To be used in mount,
# network and process namespaces of its own; see run.sh.
#
#   make_hosts N                         host i has the namespace host<i> and the address of_host i
#   start_ranks [-p N] [-e NAME=VALUE]... PROGRAM...   N ranks on each host (1), in the background
#   finish_ranks SECONDS                 waits; statuses in ${statuses[RANK]}, 124 of who was late
#   await_rank RANK REGEX SECONDS        until its log has a line that matches
logs=/run/logs
hosts=0
pids=() statuses=()
port=23000

# Once. Fails, saying why, where namespaces cannot be made.
prepare_hosts() {
  mount -t tmpfs tmpfs /run && mkdir -p /run/netns "$logs" &&
    ip link set lo up && ip link add trial0 type veth peer name trial1 && ip link del trial0 &&
    ip link add trial0 type bridge && ip link del trial0 && ip netns add trial && ip netns del trial
}

of_host() { echo "10.77.0.$(($1 + 1))"; }

make_hosts() {
  local i
  hosts=$1
  ip link add bridge0 type bridge && ip link set bridge0 up || return
  for ((i = 0; i < hosts; ++i)); do
    ip netns add "host$i" &&
      ip link add "port$i" type veth peer name eth0 netns "host$i" &&
      ip link set "port$i" master bridge0 up &&
      ip -n "host$i" link set lo up &&
      ip -n "host$i" link set eth0 up &&
      ip -n "host$i" addr add "$(of_host "$i")/24" dev eth0 || return
  done
}

remove_hosts() {
  local namespace pid
  for pid in $(jobs -p); do kill -KILL "$pid" 2>/dev/null || true; done
  for namespace in $(ip netns list | cut -d' ' -f1); do
    for pid in $(ip netns pids "$namespace"); do kill -KILL "$pid" 2>/dev/null || true; done
    # With its namespace a cable would go too, but some time later.
    ip link del "port${namespace#host}" 2>/dev/null || true
    ip netns del "$namespace"
  done
  ip link del bridge0 2>/dev/null || true
  rm -f "$logs"/*
}

start_ranks() {
  local OPTIND=1 option per_host=1 variables=() rank secret
  while getopts p:e: option; do
    case $option in
      p) per_host=$OPTARG ;;
      e) variables+=("$OPTARG") ;;
      *) return 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  port=$((port + 1)) pids=() statuses=()
  secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  for ((rank = 0; rank < hosts * per_host; ++rank)); do
    ip netns exec "host$((rank / per_host))" env ROCE_RANK="$rank" \
      ROCE_SIZE=$((hosts * per_host)) ROCE_LOCAL_RANK=$((rank % per_host)) \
      ROCE_RENDEZVOUS="$(of_host 0):$port/$secret" ROCE_HOSTID="host$((rank / per_host))" \
      "${variables[@]}" "$build/bin/$1" "${@:2}" >"$logs/$rank.log" 2>&1 </dev/null &
    pids[rank]=$!
  done
}

finish_ranks() {
  local deadline=$((SECONDS + $1)) rank
  for rank in "${!pids[@]}"; do
    while kill -0 "${pids[rank]}" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.05; done
    statuses[rank]=0
    if kill -KILL "${pids[rank]}" 2>/dev/null; then
      wait "${pids[rank]}" 2>/dev/null || true
      statuses[rank]=124
    else
      wait "${pids[rank]}" 2>/dev/null || statuses[rank]=$?
    fi
  done
}

await_rank() {
  local deadline=$((SECONDS + $3))
  until grep -qsE "$2" "$logs/$1.log"; do
    if ((SECONDS >= deadline)) || ! kill -0 "${pids[$1]}" 2>/dev/null; then
      echo "rank $1 has not said '$2'" >&2
      return 1
    fi
    sleep 0.1
  done
}

# expect_log RANK REGEX
expect_log() {
  grep -qE "$2" "$logs/$1.log" && return 0
  echo "rank $1's log has no '$2'" >&2
  return 1
}

# expect_status RANK STATUS, where "failed" is any but 0 and 124.
expect_status() {
  local status=${statuses[$1]}
  case $2 in
    failed) [[ $status != 0 && $status != 124 ]] && return 0 ;;
    *) [[ $status == "$2" ]] && return 0 ;;
  esac
  echo "rank $1 ended with status $status, not $2" >&2
  return 1
}

show_logs() {
  local log
  for log in "$logs"/*.log; do
    [[ ! -e $log ]] || tail -n 25 "$log" | sed "s|^|  rank $(basename "$log" .log): |"
  done
}
