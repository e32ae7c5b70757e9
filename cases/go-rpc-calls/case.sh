# SPDX-License-Identifier: Apache-2.0
# A Go service answers sixteen calls at a time, all on one connection. Each call asks a store (6 ms) by one of two connections.
# shellcheck shell=bash
case_title() { echo "Go: many calls on one connection"; }
case_packages() { echo golang-go gcc libc6-dev; }
case_fixed() { echo "sixteen connections to the store"; }
case_vain() { echo "a checksum in a tenth of the time"; }
case_prepare() {
  build_remote store
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/prices" prices.go)
  chmod 755 "$work/prices"
}
case_start() {
  local connections=2 sums=200
  [ "$variant" != fixed ] || connections=16
  [ "$variant" != vain ] || sums=20
  serve "$work/store" 21921 6 line
  wait_for_port 21921
  serve "$work/prices" serve 127.0.0.1:21922 127.0.0.1:21921 $connections $sums
  wait_for_port 21922
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { as_nobody "$work/prices" ask 127.0.0.1:21922 16 "$1"; }
case_whatif() { echo "--in-flight=prices=8"; }
case_vain_whatif() { echo "--function=main.checksum=0.1"; }
