# SPDX-License-Identifier: Apache-2.0
# Squid asks one of two helper programs whether a request is allowed; the helper asks a policy service, which answers after 6 ms.
# shellcheck shell=bash
case_title() { echo "Squid: two helpers"; }
case_packages() { echo squid python3 wrk gcc libc6-dev; }
case_fixed() { echo "sixteen helpers"; }
case_vain() { echo "an origin that answers after 0.2 ms instead of 2"; }
case_prepare() {
  build_remote policy
  build_remote origin
}
case_start() {
  local helpers=2 origin_ms=2
  [ "$variant" != fixed ] || helpers=16
  [ "$variant" != vain ] || origin_ms=0.2
  cat >"$work/squid.conf" <<CONFIG
http_port 127.0.0.1:21662 accel defaultsite=shop no-vhost
cache_peer 127.0.0.1 parent 21663 0 no-query originserver name=origin no-digest
external_acl_type policy ttl=0 negative_ttl=0 cache=0 grace=0 children-startup=$helpers children-max=$helpers children-idle=1 queue-size=256 %SRC %METHOD /usr/bin/python3 $case_dir/helper.py 21661
acl allowed external policy
http_access allow allowed
http_access deny all
cache deny all
access_log none
cache_log $work/squid.log
cache_store_log none
netdb_filename none
pid_filename none
coredump_dir $work
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname shop
CONFIG
  chmod 644 "$work/squid.conf"
  serve "$work/policy" 21661 6 line
  wait_for_port 21661
  serve "$work/origin" 21663 $origin_ms http
  wait_for_port 21663
  serve squid -N -f "$work/squid.conf"
  wait_for_port 21662
}
case_target() { echo "--pid ${served[2]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21662/ | awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'; }
case_whatif() { echo "--add-thread=helper.py=14"; }
case_vain_whatif() { echo "--timer=origin=0.1"; }
case_stop() {
  stop_served
  find /dev/shm -maxdepth 1 -name 'squid-cf__*.shm' -user nobody -delete # it leaves them behind when it is ended
}
