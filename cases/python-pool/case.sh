# SPDX-License-Identifier: Apache-2.0
# Sixteen clients of a web application whose pool has two connections to a service that takes 10 ms to answer.
# shellcheck shell=bash
case_title() { echo "Python web application: a connection pool too small"; }
case_packages() { echo python3 wrk; }
case_fixed() { echo "a pool of 16 connections instead of 2"; }
case_start() {
  local pool_size=2
  [ "$variant" = plain ] || pool_size=16
  serve python3 "$case_dir/app.py" service 21301
  wait_for_port 21301
  serve python3 "$case_dir/app.py" serve 21302 21301 $pool_size
  wait_for_port 21302
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21302/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=@waiter=8"; }
