# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Each cable carries RDMA writes between its two ends, and only between them: the counters of its
# two devices move and no other's.
# fabrics: pair rails 2; ring 4; line 4
# limit: 240
sent() {
  local device packets
  while read -r _ _ device _; do
    read -r packets <"/sys/class/infiniband/$device/ports/1/hw_counters/sent_pkts"
    echo "$packets"
  done <"$lab_devices"
}

while read -r cable _ here _ there; do
  before=$(sent)
  lab_tool "$here" "$there" ib_write_lat -s 8 -n 50
  moved=$(paste <(echo "$before") <(sent) <(awk '{print $3}' "$lab_devices") |
    awk '$2 - $1 >= 50 {print $3}' | sort | xargs)
  lab_equal "what cable $cable moved" "$moved" "$(printf '%s\n' "$here" "$there" | sort | xargs)"
done <"$lab_cables"
