# SPDX-License-Identifier: Apache-2.0
# Sixteen clients of a Go service that writes and syncs an audit log while it holds a mutex.
# shellcheck shell=bash
case_title() { echo "Go HTTP server: a sync under a mutex"; }
case_packages() { echo golang-go wrk; }
case_fixed() { echo "one goroutine syncs for all notes that came meanwhile"; }
case_vain() { echo "CRC-32 of the document instead of SHA-256, the hottest function"; }
case_prepare() {
  cp "$case_dir/main.go" "$work/main.go"
  (cd "$work" && CGO_ENABLED=0 HOME=$work GOCACHE=$work/go-cache GOFLAGS=-mod=mod GOPROXY=off go build -o auditlog main.go) || fail "go build failed"
  chmod 755 "$work/auditlog"
}
case_start() {
  rm -f "$work/audit.log"
  serve "$work/auditlog" 21331 "$work/audit.log" "$variant"
  wait_for_port 21331
}
case_load() { wrk -t 1 -c 16 -d "$1" -s "$case_dir/post.lua" http://127.0.0.1:21331/documents | awk '/^Requests\/sec/{print $2}'; }
# A group of ten shares a sync.
case_whatif() { echo "--scale=disk $(disk_of "$work")=0.1"; }
case_vain_whatif() { echo "--function=main.sha256Digest=0.1"; }
