# SPDX-License-Identifier: Apache-2.0
# xargs starts a curl for each address, one at a time; the server answers after 20 ms.
# shellcheck shell=bash
case_title() { echo "xargs: one download at a time"; }
case_packages() { echo curl gcc libc6-dev; }
case_fixed() { echo "xargs -P 8"; }
case_vain() { echo "a server of 128 threads instead of 32"; }
case_units=120
case_prepare() { build_remote mirror; }
case_start() {
  local threads=32
  [ "$variant" != vain ] || threads=128
  serve "$work/mirror" 21531 20 http $threads
  wait_for_port 21531
}
case_job() {
  local at_a_time=1
  [ "$variant" != fixed ] || at_a_time=8
  seq 1 120 | as_nobody xargs -P $at_a_time -I N curl -s -o /dev/null http://127.0.0.1:21531/N
}
case_whatif() { echo "--in-flight=xargs=8"; }
case_vain_whatif() { echo "--add-thread=mirror=96"; }
