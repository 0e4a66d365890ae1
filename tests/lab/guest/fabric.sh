# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Fabrics of the lab: nodes, ports, cables and switches, made of veth pairs and Soft-RoCE devices.
#
# Node i's port j is the netdev nIpJ with the RDMA device rxe_nIpJ. Cable c has the subnet
# 10.c.0.0/24, a switch one subnet a rail; node i's address ends in i + 1. What was made is listed
# in two tables, for scenarios to read:
#
#   $lab_devices   node netdev device address           one line a port
#   $lab_cables    subnet netdev device netdev device   one line a cable (none behind a switch)
lab_devices=/run/fabric/devices
lab_cables=/run/fabric/cables
fabric_group=7

# fabric_edges KIND NODES: one line an edge, "A B" for a cable, "switch A" for a switch's port.
fabric_edges() {
  local kind=$1 nodes=$2 i j
  case $kind in
    pair | line) for ((i = 0; i + 1 < nodes; ++i)); do echo "$i $((i + 1))"; done ;;
    triangle | ring) for ((i = 0; i < nodes; ++i)); do echo "$i $(((i + 1) % nodes))"; done ;;
    mesh)
      for ((i = 0; i < nodes; ++i)); do
        for ((j = i + 1; j < nodes; ++j)); do echo "$i $j"; done
      done
      ;;
    switch) for ((i = 0; i < nodes; ++i)); do echo "switch $i"; done ;;
  esac
}

# fabric_parse WORD...: reads "KIND [NODES] [rails N] [mtu N]" into fabric_kind, fabric_nodes,
# fabric_rails and fabric_mtu. Says what is wrong and returns 1 when it can't.
fabric_parse() {
  fabric_kind=${1:-} fabric_nodes='' fabric_rails=1 fabric_mtu=4500
  local least=2
  shift || true
  case $fabric_kind in
    pair) fabric_nodes=2 ;;
    triangle) fabric_nodes=3 ;;
    ring | line | mesh | switch)
      fabric_nodes=${1:-}
      shift || true
      [[ $fabric_kind != ring ]] || least=3
      ;;
    *) echo "no fabric '$fabric_kind': pair, triangle, ring N, line N, mesh N, switch N" >&2
       return 1 ;;
  esac
  if ! [[ $fabric_nodes =~ ^[0-9]{1,2}$ ]] || ((fabric_nodes < least || fabric_nodes > 16)); then
    echo "fabric $fabric_kind: needs $least to 16 nodes, not '$fabric_nodes'" >&2
    return 1
  fi
  while [[ $# -gt 0 ]]; do
    case "$1 ${2:-}" in
      "rails 1" | "rails 2") fabric_rails=$2 ;;
      "mtu 1500" | "mtu 4500" | "mtu 9000") fabric_mtu=$2 ;;
      *) echo "fabric $fabric_kind: '$*' is not: rails 1|2, mtu 1500|4500|9000" >&2
         return 1 ;;
    esac
    shift 2
  done
}

# fabric_up WORD...: makes the fabric and waits until every device is active and has its GID.
# One ip and one rdma process do it all: a process costs much in an emulated machine.
fabric_up() {
  fabric_parse "$@" || return
  mkdir -p /run/fabric
  local name rail cable=0 a b link="mtu $fabric_mtu group $fabric_group"
  for name in devices cables ip rdma; do : >"/run/fabric/$name"; done
  fabric_ports=()
  if [[ $fabric_kind == switch ]]; then
    for ((rail = 0; rail < fabric_rails; ++rail)); do fabric_add_switch "$rail"; done
  fi
  while read -r a b; do
    for ((rail = 0; rail < fabric_rails; ++rail)); do
      if [[ $a == switch ]]; then
        fabric_plug "$b" "$rail"
      else
        fabric_add_cable "$a" "$b" $((cable++))
      fi
    done
  done < <(fabric_edges "$fabric_kind" "$fabric_nodes")
  ip -batch /run/fabric/ip && rdma -b /run/fabric/rdma && fabric_wait
}

# Sets port to the name of node $1's next port.
fabric_next_port() {
  local number=${fabric_ports[$1]:-0}
  port=n$1p$number
  fabric_ports[$1]=$((number + 1))
}

fabric_add_switch() {
  {
    echo "link add switch$1 $link type bridge"
    echo "link set switch$1 up"
  } >>/run/fabric/ip
}

fabric_add_cable() {
  local a=$1 b=$2 cable=$3 port here there
  fabric_next_port "$a"
  here=$port
  fabric_next_port "$b"
  there=$port
  echo "link add $here $link type veth peer name $there $link" >>/run/fabric/ip
  fabric_add_device "$a" "$here" "10.$cable.0"
  fabric_add_device "$b" "$there" "10.$cable.0"
  echo "$cable $here rxe_$here $there rxe_$there" >>"$lab_cables"
}

# The switch's end of a port is named as the port, with an s before it.
fabric_plug() {
  local node=$1 rail=$2 port
  fabric_next_port "$node"
  {
    echo "link add $port $link type veth peer name s$port $link"
    echo "link set s$port master switch$rail up"
  } >>/run/fabric/ip
  fabric_add_device "$node" "$port" "10.$rail.0"
}

fabric_add_device() {
  local node=$1 port=$2 address=$3.$(($1 + 1))
  {
    echo "address add $address/24 dev $port"
    echo "link set $port up"
  } >>/run/fabric/ip
  echo "link add rxe_$port type rxe netdev $port" >>/run/fabric/rdma
  echo "$node $port rxe_$port $address" >>"$lab_devices"
}

# fabric_wait: until every port is active and has the GID of its address.
fabric_wait() {
  local deadline=$((SECONDS + 20)) node netdev device address
  while read -r node netdev device address; do
    until [[ $(<"/sys/class/infiniband/$device/ports/1/state") == *ACTIVE ]] &&
      lab_gid_index "$device" "$address" >/dev/null; do
      ((SECONDS < deadline)) || {
        echo "node $node: $device on $netdev is not active with $address" >&2
        return 1
      }
      sleep 0.1
    done
  done <"$lab_devices"
}

# fabric_down: takes everything away, faults included; returns 1 when something stays. All
# interfaces go in one step, and the kernel takes their RDMA devices with them: one by one, this
# would take longer than most tests.
fabric_down() {
  local deadline=$((SECONDS + 30))
  ip link delete group "$fabric_group"
  rm -rf /run/fabric
  while [[ -n $(ls /sys/class/infiniband; fabric_interfaces) ]]; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

fabric_interfaces() { find /sys/class/net -type l ! -name lo -printf '%f\n'; }

# lab_gid_index DEVICE ADDRESS: prints the index of the IPv4 address's GID; status 1 without one.
lab_gid_index() {
  local gid file wanted
  # shellcheck disable=SC2086
  printf -v wanted '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' ${2//./ }
  for file in "/sys/class/infiniband/$1/ports/1/gids/"*; do
    read -r gid 2>/dev/null <"$file" || continue
    [[ $gid != "$wanted" ]] || { echo "${file##*/}"; return; }
  done
  return 1
}

# lab_node_devices NODE: that node's devices, comma-separated.
lab_node_devices() {
  awk -v node="$1" '$1 == node {print $3}' "$lab_devices" | paste -sd,
}

# lab_address NETDEV: its address.
lab_address() {
  awk -v netdev="$1" '$2 == netdev {print $4}' "$lab_devices"
}

# lab_counter DEVICE NAME: a counter of hw_counters, such as sent_pkts or rcvd_seq_err.
lab_counter() {
  cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}
