# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The machine's main program: does the job that run.sh left in /run/lab/job and powers off.
set -u
set -a
# shellcheck source=/dev/null
. /run/lab/job
PATH=$LAB_BIN:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
HOME=/root LANG=C.UTF-8
set +a

prepare_machine() {
  mkdir -p /lib/modules
  mount --bind "$LAB_KERNEL/lib/modules" /lib/modules
  modprobe -a veth bridge rdma_rxe rdma_ucm ib_uverbs sch_netem || return
  ip link set lo up
  # Nodes share one network namespace: packets between them must take the cable all the same.
  local conf
  for conf in all default; do
    sysctl -q -w "net.ipv4.conf.$conf.accept_local=1" "net.ipv4.conf.$conf.rp_filter=0" \
      "net.ipv4.conf.$conf.arp_ignore=1" "net.ipv4.conf.$conf.arp_announce=2"
  done
  ulimit -l unlimited
}

power_off() {
  sync
  echo o >/proc/sysrq-trigger
  sleep 60
}

# A command on one fabric, with the helpers of lab.sh; its output is the caller's.
run_command() {
  # shellcheck disable=SC2086
  if ! fabric_up $LAB_FABRIC 2>>/run/lab/err; then
    echo "lab: the fabric '$LAB_FABRIC' did not come up" >>/run/lab/err
    echo 1 >/run/lab/status
    return
  fi
  cd "$LAB_DIRECTORY" || cd /
  # shellcheck disable=SC2016
  bash -c '. "$LAB_SOURCE/guest/lab.sh"; eval "$LAB_COMMAND"' >>/run/lab/out 2>>/run/lab/err \
    </dev/null
  echo $? >/run/lab/status
}

# A shell on the console.
run_shell() {
  # shellcheck disable=SC2086
  fabric_up $LAB_FABRIC >/dev/console 2>&1
  cd "$LAB_DIRECTORY" || cd /
  stty -F /dev/ttyS0 sane rows "$LAB_ROWS" cols "$LAB_COLUMNS"
  setsid --ctty --wait bash --rcfile "$LAB_SOURCE/guest/lab.sh" -i </dev/ttyS0 >/dev/ttyS0 2>&1
  echo 0 >/run/lab/status
}

# The cases of /run/lab/plan, each on a fresh fabric. Ends early at the first failure, unless told
# to go on, and when a fabric cannot be taken down: then another machine does the rest.
run_scenarios() {
  local name file limit fabric status begin
  while read -r name file limit fabric; do
    echo "start $name" >>/run/lab/events
    begin=${EPOCHREALTIME/./} status=0
    run_case "$name" "$file" "$limit" "$fabric" >"/run/lab/logs/$name" 2>&1 </dev/null || status=$?
    printf '%s %s %d.%03d\n' "$([[ $status == 0 ]] && echo PASS || echo FAIL)" "$name" \
      $(((${EPOCHREALTIME/./} - begin) / 1000000)) \
      $(((${EPOCHREALTIME/./} - begin) / 1000 % 1000)) >>/run/lab/events
    [[ $status == 0 || $LAB_KEEP_GOING == 1 ]] || break
    [[ ! -e /run/dirty ]] || break
  done </run/lab/plan
  echo end >>/run/lab/events
}

run_case() {
  local name=$1 file=$2 limit=$3 fabric=$4 status=0
  dmesg --clear
  # shellcheck disable=SC2086
  if fabric_up $fabric; then
    cd "$LAB_DIRECTORY" || cd /
    # shellcheck disable=SC2016
    LAB_FABRIC=$fabric timeout -k 5 "$limit" bash -Eeuo pipefail -c \
      'trap '\''echo "line $LINENO: $BASH_COMMAND: status $?" >&2'\'' ERR
       . "$LAB_SOURCE/guest/lab.sh"; . "$0"' "$file" || status=$?
    [[ $status != 124 ]] || echo "not done after $limit s"
  else
    echo "the fabric '$fabric' did not come up"
    status=1
  fi
  [[ $status == 0 ]] || dmesg | tail -n 15 | sed 's/^/kernel: /'
  kill -KILL -1  # all but this process, the machine's first
  wait
  find /dev/shm -mindepth 1 -delete
  if ! fabric_down; then
    echo "the fabric could not be taken down"
    : >/run/dirty
    status=1
  fi
  return "$status"
}

. "$LAB_SOURCE/guest/lab.sh"
if prepare_machine 2>>/run/lab/err; then
  : >/run/lab/booted
  "run_$LAB_MODE"
else
  echo "lab: the machine could not be prepared" >>/run/lab/err
fi
power_off
