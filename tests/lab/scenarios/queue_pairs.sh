# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Nodes that share no cable make no queue pair: each port of a ring or a line has one, to the
# neighbour on its cable.
# fabrics: ring 4; ring 8; line 4
# limit: 120
. "$LAB_SOURCE/guest/runs.sh"
run_start
while read -r _ netdev device _; do
  pairs=$(rdma resource show qp link "$device/1" | grep -c 'type RC' || true)
  lab_equal "queue pairs of $device on $netdev" "$pairs" 1
done <"$lab_devices"
for ((rank = 0; rank < fabric_nodes; ++rank)); do lab_kill "$rank"; done
lab_wait
