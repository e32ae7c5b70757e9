# SPDX-License-Identifier: Apache-2.0
# A Go feed writes 5,000 ticks a second to all subscribers, one after the other. One of them archives each tick (2 ms), reads slowly,
# and so holds up all others.
# shellcheck shell=bash
case_title() { echo "Go: one slow subscriber"; }
case_packages() { echo golang-go python3 gcc libc6-dev; }
case_fixed() { echo "ticks are dropped for who does not read"; }
case_vain() { echo "ticks encoded in half of the time"; }
case_prepare() {
  build_remote archive
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/feed" feed.go)
  chmod 755 "$work/feed"
}
case_start() {
  local how=wait rounds=20000
  [ "$variant" != fixed ] || how=drop
  [ "$variant" != vain ] || rounds=10000
  serve "$work/archive" 21823 2 line
  wait_for_port 21823
  serve env GOMAXPROCS=2 "$work/feed" 127.0.0.1:21824 $how $rounds
  wait_for_port 21824
  serve "$case_dir/archivist.py" 21824 21823
  sleep 0.5
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { as_nobody "$case_dir/watcher.py" 21824 4 "$1"; }
case_whatif() { echo "--async=feed->archivist.py"; }
case_vain_whatif() { echo "--run=feed=0.5"; }
