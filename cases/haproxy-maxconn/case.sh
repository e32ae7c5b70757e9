# SPDX-License-Identifier: Apache-2.0
# HAProxy lets two requests at a time through to a service that takes 10 ms for each and could do many at once.
# shellcheck shell=bash
case_title() { echo "HAProxy: maxconn of a server too small"; }
case_packages() { echo haproxy python3 wrk; }
case_fixed() { echo "maxconn 16 instead of 2"; }
case_start() {
  local most=2
  [ "$variant" = plain ] || most=16
  cat >"$work/haproxy.cfg" <<CONFIG
global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend in
  bind 127.0.0.1:21306
  default_backend service
backend service
  server one 127.0.0.1:21307 maxconn $most
CONFIG
  serve python3 "$case_dir/service.py" 21307
  wait_for_port 21307
  serve haproxy -db -f "$work/haproxy.cfg"
  wait_for_port 21306
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21306/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=haproxy=8"; }
