# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Faults of the network. All take a netdev of the fabric: nIpJ, or snIpJ, the switch's end of it.
# lab_netem concerns what leaves that end. Taking the fabric down ends every fault.

# lab_netem NETDEV WORD...: as in tc-netem(8): loss 1% | delay 5ms | delay 1ms reorder 25% 50%
lab_netem() {
  local netdev=$1
  shift
  tc qdisc replace dev "$netdev" root netem limit 10000 "$@"
}

lab_netem_off() { tc qdisc delete dev "$1" root; }

# lab_link NETDEV up|down
lab_link() { ip link set "$1" "$2"; }

# lab_mtu NETDEV BYTES: 1500 makes the RDMA MTU 1024, 4500 and more 4096.
lab_mtu() { ip link set "$1" mtu "$2"; }

# lab_drop_large NETDEV BYTES: larger IP packets that arrive there are lost and nobody is told, as
# where a switch has a smaller MTU than the devices believe. (A packet that the sender's own netdev
# refuses is another thing: Soft-RoCE then sends it again at once, for ever, and counts send_err.)
lab_drop_large() {
  tc qdisc replace dev "$1" clsact &&
    tc filter add dev "$1" ingress protocol ip basic match "meta(pkt_len gt $2)" action drop
}

# lab_address_remove NETDEV, lab_address_restore NETDEV: the address of the fabric's table; its
# GID goes with it. lab_gid_move does both, with another address put in its place, so that the GID
# comes back at another index; prints the old one and the new one.
lab_address_remove() { ip address delete "$(lab_address "$1")/24" dev "$1"; }
lab_address_restore() { ip address add "$(lab_address "$1")/24" dev "$1"; }
lab_gid_move() {
  local netdev=$1 old address
  address=$(lab_address "$netdev")
  old=$(lab_gid_index "rxe_$netdev" "$address")
  lab_address_remove "$netdev"
  lab_gid_await "rxe_$netdev" "$address" absent
  ip address add "192.168.77.${address##*.}/24" dev "$netdev"
  lab_gid_await "rxe_$netdev" "192.168.77.${address##*.}" present
  lab_address_restore "$netdev"
  lab_gid_await "rxe_$netdev" "$address" present
  echo "$old $(lab_gid_index "rxe_$netdev" "$address")"
}

# lab_gid_await DEVICE ADDRESS present|absent: the table follows addresses after a while.
lab_gid_await() {
  local deadline=$((SECONDS + 10)) now
  while :; do
    now=absent
    ! lab_gid_index "$1" "$2" >/dev/null || now=present
    [[ $now != "$3" ]] || return 0
    ((SECONDS < deadline)) || { echo "$1: GID of $2 is still $now" >&2; return 1; }
    sleep 0.05
  done
}
