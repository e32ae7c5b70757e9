# SPDX-License-Identifier: Apache-2.0
# A Go service keeps prices in a cache under one mutex. One request in eight misses, and asks the price service with the mutex held.
# shellcheck shell=bash
case_title() { echo "Go: a cache that is filled under its mutex"; }
case_packages() { echo golang-go wrk gcc libc6-dev; }
case_fixed() { echo "the service is asked without the mutex"; }
case_vain() { echo "64 connections of the load instead of 16"; }
case_prepare() {
  build_remote prices
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/cart" cart.go)
  chmod 755 "$work/cart"
}
case_start() {
  local how=inside
  [ "$variant" != fixed ] || how=outside
  serve "$work/prices" 21901 3 http
  wait_for_port 21901
  serve "$work/cart" 127.0.0.1:21902 http://127.0.0.1:21901/ $how
  wait_for_port 21902
}
case_target() { echo "--pid ${served[1]}"; }
case_load() {
  local connections=16
  [ "$variant" != vain ] || connections=64
  wrk -t 1 -c $connections -d "$1" http://127.0.0.1:21902/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--in-flight=cart=16"; }
case_vain_whatif() { echo "--clients=wrk=4"; }
