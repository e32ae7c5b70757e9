# SPDX-License-Identifier: Apache-2.0
# A Go service holds an index of some 65 MB, and its memory limit (GOMEMLIMIT) is hardly more: the collector runs nearly all of the time.
# shellcheck shell=bash
case_title() { echo "Go: a memory limit little above the heap"; }
case_packages() { echo golang-go wrk; }
case_fixed() { echo "a limit of 1 GB"; }
case_vain() { echo "64 connections of the load instead of 8"; }
case_prepare() {
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/search" search.go)
  chmod 755 "$work/search"
}
case_start() {
  local limit=70MiB
  [ "$variant" != fixed ] || limit=1GiB
  serve env GOMEMLIMIT=$limit GOGC=off "$work/search" 127.0.0.1:21904
  wait_for_port 21904
}
case_target() { echo "--pid ${served[0]}"; }
case_load() {
  local connections=8
  [ "$variant" != vain ] || connections=64
  wrk -t 1 -c $connections -d "$1" http://127.0.0.1:21904/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--function=runtime.gcBgMarkWorker=0"; }
case_vain_whatif() { echo "--clients=wrk=8"; }
