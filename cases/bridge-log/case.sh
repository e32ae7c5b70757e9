# SPDX-License-Identifier: Apache-2.0
# A log server and its clients in network namespaces of their own, joined by a bridge, as two containers are. The server
# syncs each line under a lock.
# shellcheck shell=bash
case_title() { echo "Two containers on a bridge: a log server syncs under a lock"; }
case_packages() { echo iproute2 gcc libc6-dev; }
case_fixed() { echo "group commit: one sync for all lines that wait"; }
case_vain() { echo "a client that takes two fifths less CPU time"; }
bridge_names() { shop_space=gordian-shop log_space=gordian-log bridge=gordian-br0 shop_end=gordian-shop0 log_end=gordian-log0; }
bridge_remove() { # what is there of it; interfaces in a namespace go with it
  bridge_names
  local space link
  for link in $shop_end $log_end $bridge; do [ ! -e "/sys/class/net/$link" ] || ip link del "$link"; done
  for space in $shop_space $log_space; do [ ! -e "/run/netns/$space" ] || ip netns del "$space"; done
}
bridge_join() { # NAMESPACE INTERFACE ADDRESS
  ip link add "$2" type veth peer name eth0 netns "$1"
  ip link set "$2" master "$bridge" up
  ip -n "$1" address add "$3/24" dev eth0
  ip -n "$1" link set eth0 up
  ip -n "$1" link set lo up
}
case_prepare() {
  gcc -O2 -g -pthread -o "$work/logserver" "$case_dir/server.c"
  gcc -O2 -g -pthread -o "$work/shop" "$case_dir/client.c"
}
case_start() {
  local how=one deadline=$((SECONDS + 10))
  [ "$variant" != fixed ] || how=group
  bridge_remove
  ip link add $bridge type bridge
  ip link set $bridge up
  ip netns add $shop_space
  ip netns add $log_space
  bridge_join $shop_space $shop_end 10.231.7.2
  bridge_join $log_space $log_end 10.231.7.3
  set -m # a group of its own
  ip netns exec $log_space setpriv --reuid=nobody --regid=nogroup --clear-groups -- \
    "$work/logserver" 21331 "$work/orders.log" $how >>"$work/serve.log" 2>&1 </dev/null &
  set +m
  served+=("$!")
  until ip netns exec $shop_space bash -c 'exec 3<>/dev/tcp/10.231.7.3/21331' 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || fail "the log server cannot be reached: $(tail -n 1 "$work/serve.log")"
    sleep 0.1
  done
}
# What is slow for a user are the shops.
case_target() { echo "--comm shop"; }
case_load() {
  local rounds=30000
  [ "$variant" != vain ] || rounds=9000
  bridge_names
  ip netns exec $shop_space setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$work/shop" "$1" 4 10.231.7.3 21331 $rounds
}
case_whatif() { echo "--batch=@attack"; }
case_vain_whatif() { echo "--run=shop=0.6"; }
case_stop() {
  stop_served # before its namespace goes
  bridge_remove
}
