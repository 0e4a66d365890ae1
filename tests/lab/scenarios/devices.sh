# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Every port of the fabric is there, active, with the GID of its address and the path MTU that
# the link's MTU allows.
# fabrics: pair; pair rails 2; triangle; ring 8 rails 2; line 4; mesh 4; switch 4 rails 2; switch 8; pair mtu 1500; switch 4 mtu 9000
# limit: 60
edges=$(fabric_edges "$fabric_kind" "$fabric_nodes" | wc -l)
ends=2
[[ $fabric_kind != switch ]] || ends=1
ports=$((edges * fabric_rails * ends))
lab_equal "number of devices" "$(find /sys/class/infiniband -type l | wc -l)" "$ports"
lab_equal "lines of the table" "$(wc -l <"$lab_devices")" "$ports"

mtu=4096
((fabric_mtu >= 4500)) || mtu=1024
while read -r _ netdev device address; do
  lab_gid_index "$device" "$address" >/dev/null || lab_fail "$device has no GID of $address"
  lab_equal "address of $netdev" "$(ip -4 -o address show "$netdev" | awk '{print $4}')" \
    "$address/24"
  lab_equal "active MTU of $device" \
    "$(ibv_devinfo -d "$device" | awk '$1 == "active_mtu:" {print $2}')" "$mtu"
done <"$lab_devices"
