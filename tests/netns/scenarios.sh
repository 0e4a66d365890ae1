# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What is tested between hosts; each is a function scenario_NAME, run in a subshell.
all_scenarios=(pair four_hosts two_ranks_a_host unasked killed_rank link_down unreachable)

# Runs ranks that must all end well.
run_ranks() {
  local rank limit=$1
  shift
  start_ranks "$@"
  finish_ranks "$limit"
  for rank in "${!pids[@]}"; do expect_status "$rank" 0 || return; done
}

# Results of all sizes are right, and no size was left out.
expect_right() {
  expect_log 0 "^# Transport +: $1\$" && expect_log 0 '^# Out of bounds values : 0 OK'
}

scenario_pair() {
  make_hosts 2 || return
  run_ranks 60 -e ROCE_TRANSPORT=ucx roce_all_reduce_perf -b 8 -e 1M -f 8 -n 20 -w 2 || return
  expect_right ucx && run_ranks 120 -e ROCE_TRANSPORT=ucx -e ROCE_SEGMENT=4096 \
    lab_conformance --every 7 --transport ucx
}

scenario_four_hosts() {
  make_hosts 4 || return
  run_ranks 60 -e ROCE_TRANSPORT=ucx roce_all_reduce_perf -b 8 -e 64K -f 8 -n 20 -w 2 || return
  expect_right ucx && run_ranks 120 -e ROCE_TRANSPORT=ucx -e ROCE_SEGMENT=4096 \
    lab_conformance --every 41 --transport ucx
}

scenario_two_ranks_a_host() {
  make_hosts 2 || return
  run_ranks 60 -p 2 -e ROCE_TRANSPORT=ucx roce_all_reduce_perf -b 8 -e 64K -f 8 -n 20 -w 2 ||
    return
  expect_right 'shm\+ucx'
}

# Hosts without RDMA: auto takes UCX, and rank 0 says so, once.
scenario_unasked() {
  make_hosts 2 || return
  run_ranks 60 roce_all_reduce_perf -b 8 -e 8 -n 5 || return
  expect_right ucx && expect_log 0 'using UCX, not verbs: ranks 0 and 1: ' || return
  [[ $(grep -c 'using UCX, not verbs' "$logs/0.log") == 1 ]] &&
    ! grep -q 'using UCX, not verbs' "$logs/1.log"
}

endless=(roce_all_reduce_perf -b 4K -e 4K -n 20 -c 0 -N 0)

scenario_killed_rank() {
  local rank
  make_hosts 3 || return
  start_ranks -e ROCE_TRANSPORT=ucx -e ROCE_TIMEOUT=20s "${endless[@]}"
  await_rank 0 '^ +4096 ' 30 || return
  sleep 1
  kill -KILL "${pids[1]}"
  { wait "${pids[1]}"; } 2>/dev/null
  finish_ranks 8
  for rank in 0 2; do
    expect_status "$rank" failed && expect_log "$rank" 'rank 1' || return
  done
}

# A cable is cut: no packet says so, and the deadline must be enough.
scenario_link_down() {
  local rank
  make_hosts 3 || return
  start_ranks -e ROCE_TRANSPORT=ucx -e ROCE_TIMEOUT=3s "${endless[@]}"
  await_rank 0 '^ +4096 ' 30 || return
  sleep 1
  ip link set port2 down
  finish_ranks 12
  for rank in 0 1 2; do expect_status "$rank" failed || return; done
  expect_log 0 'rank 2' && expect_log 1 'rank 2' && expect_log 2 'rank [01]'
}

# The ranks meet, but UCX is told to use interfaces from which no way leads to the other host.
scenario_unreachable() {
  local rank
  make_hosts 2 || return
  for rank in 0 1; do
    ip -n "host$rank" link add apart type veth peer name other &&
      ip -n "host$rank" addr add "10.7$((8 + rank)).0.1/24" dev apart &&
      ip -n "host$rank" link set apart up && ip -n "host$rank" link set other up || return
  done
  start_ranks -e ROCE_TRANSPORT=ucx -e ROCE_CONNECT_TIMEOUT=8s -e UCX_NET_DEVICES=apart \
    roce_all_reduce_perf -b 8 -e 8 -n 5
  finish_ranks 20
  for rank in 0 1; do
    expect_status "$rank" failed && expect_log "$rank" 'UCX_NET_DEVICES' || return
  done
}
