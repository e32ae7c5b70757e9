# SPDX-License-Identifier: Apache-2.0
# Four threads ask a directory over UDP. It answers at once, but one packet in twenty is lost, and who gets no answer asks again
# after 100 ms.
# shellcheck shell=bash
case_title() { echo "UDP: a lost packet costs 100 ms"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "asked again after 10 ms"; }
case_vain() { echo "a directory that needs half of the time"; }
case_prepare() {
  gcc -O2 -g -pthread -o "$work/directory" "$case_dir/directory.c"
  gcc -O2 -g -pthread -o "$work/lookup" "$case_dir/lookup.c"
  chmod 755 "$work/directory" "$work/lookup"
}
case_start() {
  local rounds=40000
  [ "$variant" != vain ] || rounds=20000
  serve "$work/directory" 21807 20 $rounds
  sleep 0.2
}
case_target() { printf '%s\n' "--pid ${served[0]}" "--comm lookup"; }
case_load() {
  local again_ms=100
  [ "$variant" != fixed ] || again_ms=10
  as_nobody "$work/lookup" 21807 4 $again_ms "$1"
}
case_whatif() { echo "--timer=lookup=0.1"; }
case_vain_whatif() { echo "--run=directory=0.5"; }
