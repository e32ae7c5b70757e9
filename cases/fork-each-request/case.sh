# SPDX-License-Identifier: Apache-2.0
# A server with a catalogue of 64 MB forks for each connection: each fork copies the page tables of all of it.
# shellcheck shell=bash
case_title() { echo "A fork for each request, of a large process"; }
case_packages() { echo gcc libc6-dev wrk; }
case_fixed() { echo "threads instead of processes"; }
case_vain() { echo "a page rendered in half of the time"; }
case_prepare() { gcc -O2 -g -fno-omit-frame-pointer -pthread -o "$work/catalogue" "$case_dir/catalogue.c" && chmod 755 "$work/catalogue"; }
case_start() {
  local how=fork rounds=300000
  [ "$variant" != fixed ] || how=thread
  [ "$variant" != vain ] || rounds=150000
  serve "$work/catalogue" 21827 $how $rounds
  wait_for_port 21827
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { wrk -t 1 -c 8 -d "$1" -H "Connection: close" http://127.0.0.1:21827/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--function=fork=0"; }
case_vain_whatif() { echo "--function=render=0.5"; }
