# SPDX-License-Identifier: Apache-2.0
# Four threads of one Python process price options in plain Python: one runs at a time, whoever has the interpreter's lock.
# shellcheck shell=bash
case_title() { echo "Python: four threads under the interpreter's lock"; }
case_packages() { echo python3; }
case_fixed() { echo "four processes"; }
case_vain() { echo "twelve threads"; }
case_target() { echo "--comm python3"; }
case_load() {
  local kind=threads workers=4
  [ "$variant" != fixed ] || kind=processes
  [ "$variant" != vain ] || workers=12
  as_nobody python3 "$case_dir/prices.py" $kind $workers "$1"
}
case_whatif() { echo "--lock=python3->python3"; }
case_vain_whatif() { echo "--add-thread=python3=8"; }
