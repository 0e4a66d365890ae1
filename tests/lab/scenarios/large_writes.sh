# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Writes of many packets arrive on each size of MTU, and one sent in pieces takes as many packets
# as the path MTU says.
# fabrics: pair; pair mtu 1500
# limit: 60
mtu=4096
((fabric_mtu >= 4500)) || mtu=1024
before=$(lab_counter rxe_n1p0 rcvd_pkts)
lab_tool rxe_n0p0 rxe_n1p0 ib_write_lat -s 65536 -n 20
lab_more "packets that came" $(($(lab_counter rxe_n1p0 rcvd_pkts) - before)) \
  $((20 * 65536 / mtu))
