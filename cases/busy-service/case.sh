# SPDX-License-Identifier: Apache-2.0
# Four threads ask a service of one thread, which is busy all the time.
# shellcheck shell=bash
case_title() { echo "A service of one busy thread"; }
case_packages() { echo python3; }
case_fixed() { echo "a service that works half as long"; }
case_vain() { echo "sixteen threads that ask instead of four"; }
case_prepare() { sed 's/4000/2000/' "$case_dir/ask.py" >"$work/faster.py"; }
case_start() {
  local script=$case_dir/ask.py
  [ "$variant" != fixed ] || script=$work/faster.py
  serve python3 "$script" serve 21347
  wait_for_port 21347
}
case_target() { echo "--comm asker"; }
case_load() {
  local connections=4
  [ "$variant" != vain ] || connections=16
  as_nobody python3 "$case_dir/ask.py" ask "$1" 21347 $connections
}
case_whatif() { echo "--run=@outside=0.5"; }
case_vain_whatif() { echo "--in-flight=@waiter=4"; }
