# SPDX-License-Identifier: Apache-2.0
# Four stages, a thread each, with bounded channels between them. The third asks a price service for each order (2 ms).
# shellcheck shell=bash
case_title() { echo "Rust: four stages, the third asks for each item"; }
case_packages() { echo rustc gcc libc6-dev; }
case_fixed() { echo "prices of eight orders asked for at a time"; }
case_vain() { echo "orders parsed in half of the time"; }
case_prepare() {
  build_remote prices
  rustc --edition 2021 -O -g -o "$work/orders" "$case_dir/orders.rs" && chmod 755 "$work/orders"
}
case_start() {
  serve "$work/prices" 21825 2 line
  wait_for_port 21825
}
case_target() { printf '%s\n' "--comm orders" "--comm parse" "--comm enrich" "--comm price" "--comm write"; }
case_load() {
  local batch=1 rounds=60000
  [ "$variant" != fixed ] || batch=8
  [ "$variant" != vain ] || rounds=30000
  as_nobody "$work/orders" 21825 $batch $rounds "$1"
}
case_whatif() { echo "--in-flight=price=8"; }
case_vain_whatif() { echo "--run=parse=0.5"; }
