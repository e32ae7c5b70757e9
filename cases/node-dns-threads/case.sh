# SPDX-License-Identifier: Apache-2.0
# A Node service delivers each message to a host of its own. Names are looked up by the four threads of libuv's pool, and the
# name server answers after 10 ms.
# shellcheck shell=bash
case_title() { echo "Node: names looked up in libuv's four threads"; }
case_packages() { echo nodejs python3 wrk gcc libc6-dev; }
case_fixed() { echo "UV_THREADPOOL_SIZE=32"; }
case_vain() { echo "96 messages at a time instead of 48"; }
case_prepare() {
  build_remote customers
  echo "nameserver 127.0.0.216" >"$work/resolv.conf"
  chmod 644 "$work/resolv.conf"
}
as_server() { # COMMAND…: as serve, with the name server of this case and, if told so by $capability, with a capability
  set -m
  # shellcheck disable=SC2016  # expanded by that shell
  unshare -m sh -c 'mount --bind "$1" /etc/resolv.conf; shift; exec "$@"' sh "$work/resolv.conf" \
    setpriv --reuid=nobody --regid=nogroup --clear-groups ${capability:+--inh-caps=+$capability --ambient-caps=+$capability} -- "$@" \
    >>"$work/serve.log" 2>&1 </dev/null &
  set +m
  served+=("$!")
}
case_start() {
  local threads=4
  [ "$variant" != fixed ] || threads=32
  serve "$work/customers" 21641 1 http 128
  wait_for_port 21641
  capability=net_bind_service as_server python3 "$case_dir/names.py" 127.0.0.216 10
  as_server env UV_THREADPOOL_SIZE=$threads node "$case_dir/deliver.js" 21642 21641
  wait_for_port 21642
}
case_target() { echo "--pid ${served[2]}"; }
case_load() {
  local clients=48
  [ "$variant" != vain ] || clients=96
  wrk -t 1 -c $clients -d "$1" http://127.0.0.1:21642/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--in-flight=node=8"; }
case_vain_whatif() { echo "--in-flight=wrk=2"; }
