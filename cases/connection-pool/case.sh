# SPDX-License-Identifier: Apache-2.0
# Eight threads share one connection to a service that has a process for each connection.
# shellcheck shell=bash
case_title() { echo "A pool of one connection"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "a pool of eight connections"; }
case_prepare() {
  gcc -O2 -g -pthread -o "$work/pool" "$case_dir/pool.c"
  gcc -O2 -g -o "$work/service" "$case_dir/service.c"
  chmod 755 "$work/pool" "$work/service"
}
case_start() {
  serve "$work/service" 21335
  wait_for_port 21335
}
case_target() { echo "--comm pool"; }
case_load() {
  local connections=1
  [ "$variant" != fixed ] || connections=8
  as_nobody "$work/pool" "$1" 21335 $connections
}
case_whatif() { echo "--in-flight=asker=8"; }
