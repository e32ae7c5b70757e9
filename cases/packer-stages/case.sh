# SPDX-License-Identifier: Apache-2.0
# A process reads blocks and one packs them, which takes three times as long.
# shellcheck shell=bash
case_title() { echo "Two stages, of which the second is slower"; }
case_packages() { echo python3; }
case_fixed() { echo "a second packer"; }
case_vain() { echo "a second reader"; }
case_target() { echo "--comm reader --comm packer"; }
case_load() {
  local readers=1 packers=1
  [ "$variant" != fixed ] || packers=2
  [ "$variant" != vain ] || readers=2
  as_nobody python3 "$case_dir/stages.py" "$1" $readers $packers
}
case_whatif() { echo "--add-thread=packer=1"; }
case_vain_whatif() { echo "--add-thread=reader=1"; }
