# SPDX-License-Identifier: Apache-2.0
# A Go service with one goroutine that owns the connection to a ledger; handlers hand it their questions through a channel, and
# the ledger answers each after 3 ms.
# shellcheck shell=bash
case_title() { echo "Go: one goroutine owns the connection"; }
case_packages() { echo golang-go wrk gcc libc6-dev; }
case_fixed() { echo "twelve goroutines, each with a connection"; }
case_vain() { echo "GOMAXPROCS=8 instead of 2"; }
case_prepare() {
  build_remote ledger
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/accounts" accounts.go)
  chmod 755 "$work/accounts"
}
case_start() {
  local owners=1 processors=2
  [ "$variant" != fixed ] || owners=12
  [ "$variant" != vain ] || processors=8
  serve "$work/ledger" 21781 3 line
  wait_for_port 21781
  serve env GOMAXPROCS=$processors "$work/accounts" 127.0.0.1:21782 127.0.0.1:21781 $owners
  wait_for_port 21782
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 12 -d "$1" http://127.0.0.1:21782/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=accounts=12"; }
case_vain_whatif() { echo "--cpus=8"; }
