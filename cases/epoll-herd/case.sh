# SPDX-License-Identifier: Apache-2.0
# A server of 64 processes that wait at one listening socket: each connection wakes all that are idle, one gets it, and the others
# go back to sleep.
# shellcheck shell=bash
case_title() { echo "epoll: each connection wakes all processes"; }
case_packages() { echo gcc libc6-dev wrk; }
case_fixed() { echo "EPOLLEXCLUSIVE"; }
case_vain() { echo "a page rendered in half of the time"; }
case_prepare() { gcc -O2 -g -fno-omit-frame-pointer -o "$work/herd" "$case_dir/herd.c" && chmod 755 "$work/herd"; }
case_start() {
  local how=all rounds=20000
  [ "$variant" != fixed ] || how=one
  [ "$variant" != vain ] || rounds=10000
  serve "$work/herd" 21842 64 $how $rounds
  wait_for_port 21842
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { wrk -t 1 -c 8 -d "$1" -H "Connection: close" http://127.0.0.1:21842/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--no-false-wakeups=herd"; }
case_vain_whatif() { echo "--function=render=0.5"; }
