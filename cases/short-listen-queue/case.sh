# SPDX-License-Identifier: Apache-2.0
# Front pages ask for four widgets at once, for three users. The widgets' server has room for two connections in its listen queue; who finds it
# full is not told so, and tries again after a second.
# shellcheck shell=bash
case_title() { echo "A listen queue of one"; }
case_packages() { echo python3; }
case_fixed() { echo "a listen queue of 128"; }
case_vain() { echo "a page put together in a tenth of the time"; }
case_start() {
  local queue=1
  [ "$variant" != fixed ] || queue=128
  serve python3 "$case_dir/widgets.py" 21843 $queue 500
  wait_for_port 21843
}
case_target() { printf '%s\n' "--pid ${served[0]}" "--comm front.py"; }
case_load() {
  local rows=20000
  [ "$variant" != vain ] || rows=2000
  as_nobody "$case_dir/front.py" 21843 3 4 $rows "$1"
}
case_whatif() { echo "--timer=front.py=0.01"; }
case_vain_whatif() { echo "--run=front.py=0.1"; }
