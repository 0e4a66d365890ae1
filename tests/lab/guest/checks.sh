# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# What scenarios say about results, and the tools of perftest and ibverbs-utils as two ranks.

lab_fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# lab_equal WHAT GOT WANTED
lab_equal() {
  [[ $2 == "$3" ]] || lab_fail "$1 is '$2', not '$3'"
}

# lab_device_address DEVICE, lab_device_netdev DEVICE: from the fabric's table.
lab_device_address() { awk -v device="$1" '$3 == device {print $4}' "$lab_devices"; }
lab_device_netdev() { awk -v device="$1" '$3 == device {print $2}' "$lab_devices"; }

# lab_gid DEVICE: the GID index of its address.
lab_gid() {
  lab_gid_index "$1" "$(lab_device_address "$1")"
}

# lab_tool_start SERVER_DEVICE CLIENT_DEVICE COMMAND...: a two-sided tool such as ib_write_lat or
# ibv_rc_pingpong, its server on one device and its client on the other. The logs are $lab_server
# and $lab_client. lab_tool_wait ends when both have, and returns the client's status, else the
# server's; lab_tool does both.
lab_server=/run/server.log
lab_client=/run/client.log
lab_tool_start() {
  local server=$1 client=$2 tool=$3 gid_option=-x port
  shift 3
  [[ $tool != ibv_* ]] || gid_option=-g
  port=$((lab_port += 1))
  "$tool" -d "$server" "$gid_option" "$(lab_gid "$server")" -p "$port" "$@" \
    >"$lab_server" 2>&1 &
  lab_server_pid=$!
  local deadline=$((SECONDS + 20))
  until [[ -n $(ss -ltnH "sport = :$port") ]]; do
    if ((SECONDS >= deadline)) || ! kill -0 "$lab_server_pid" 2>/dev/null; then
      cat "$lab_server" >&2
      lab_fail "the server of $tool on $server does not listen"
    fi
    sleep 0.05
  done
  "$tool" -d "$client" "$gid_option" "$(lab_gid "$client")" -p "$port" "$@" \
    127.0.0.1 >"$lab_client" 2>&1 &
  lab_client_pid=$!
}

lab_tool_wait() {
  local client=0 server=0
  wait "$lab_client_pid" || client=$?
  wait "$lab_server_pid" || server=$?
  [[ $client != 0 ]] || client=$server
  return "$client"
}

# lab_tool_first_end SECONDS: until the server or the client has ended; 1 when neither has in time.
lab_tool_first_end() {
  local deadline=$((SECONDS + $1))
  while kill -0 "$lab_client_pid" 2>/dev/null && kill -0 "$lab_server_pid" 2>/dev/null; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# lab_tool_stop: ends both.
lab_tool_stop() {
  kill "$lab_client_pid" "$lab_server_pid" 2>/dev/null || true
  lab_tool_wait 2>/dev/null || true
}

lab_tool() {
  local status=0
  lab_tool_start "$@"
  lab_tool_wait || status=$?
  [[ $status == 0 ]] || tail -v -n 12 "$lab_server" "$lab_client" >&2
  return "$status"
}

# lab_typical: the typical time in microseconds that the client of ib_write_lat printed.
lab_typical() {
  awk '/^ *[0-9]+ +[0-9]+ / {print $5}' "$lab_client"
}

# lab_counter_await DEVICE NAME LEAST [SECONDS]: until the counter is that large. Better than a
# sleep: how fast things go depends on what else the host does.
lab_counter_await() {
  local deadline=$((SECONDS + ${4:-30}))
  while (($(lab_counter "$1" "$2") < $3)); do
    ((SECONDS < deadline)) || lab_fail "$2 of $1 is $(lab_counter "$1" "$2"), less than $3"
    sleep 0.1
  done
}

# lab_more WHAT GOT LEAST: GOT is at least LEAST (decimal numbers).
lab_more() {
  awk -v got="$2" -v least="$3" 'BEGIN {exit !(got + 0 >= least + 0)}' ||
    lab_fail "$1 is $2, less than $3"
}
