# SPDX-License-Identifier: Apache-2.0
# A script looks the names of a log up, one after the other; the resolver asks a name server 6 ms away.
# shellcheck shell=bash
case_title() { echo "Names looked up one at a time"; }
case_packages() { echo unbound python3; }
case_fixed() { echo "sixteen threads look names up"; }
case_vain() { echo "four threads of the resolver instead of one"; }
case_start() {
  local threads=1
  [ "$variant" != vain ] || threads=4
  cat >"$work/unbound.conf" <<CONFIG
server:
  directory: "$work"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  interface: 127.0.0.1@21482
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  module-config: "iterator"
  num-threads: $threads
  outgoing-range: 400
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@21481
CONFIG
  serve python3 "$case_dir/names.py" serve 21481
  serve unbound -d -c "$work/unbound.conf"
  sleep 1
}
case_target() { echo "--comm lookup"; }
case_load() { as_nobody python3 "$case_dir/names.py" lookup 21482 "$variant" "$1"; }
case_whatif() { echo "--in-flight=lookup=16"; }
case_vain_whatif() { echo "--add-thread=unbound=3"; }
