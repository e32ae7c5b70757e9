# SPDX-License-Identifier: Apache-2.0
# A Go service fetches each document from a store; its HTTP client may have two connections to a host.
# shellcheck shell=bash
case_title() { echo "Go: two connections to the store"; }
case_packages() { echo golang-go wrk gcc libc6-dev; }
case_fixed() { echo "sixteen connections to the store"; }
case_vain() { echo "a checksum in a tenth of the time"; }
case_prepare() {
  build_remote store
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/documents" documents.go)
  chmod 755 "$work/documents"
}
case_start() {
  local connections=2 sums=10
  [ "$variant" != fixed ] || connections=16
  [ "$variant" != vain ] || sums=1
  serve "$work/store" 21471 6 http
  wait_for_port 21471
  serve "$work/documents" 127.0.0.1:21472 http://127.0.0.1:21471/ $connections $sums
  wait_for_port 21472
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21472/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=documents=8"; }
case_vain_whatif() { echo "--function=main.checksum=0.1"; }
