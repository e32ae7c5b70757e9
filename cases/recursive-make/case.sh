# SPDX-License-Identifier: Apache-2.0
# make -j2 builds six folders, one after the other in a loop of the shell. In each folder most of the work is one large file.
# shellcheck shell=bash
case_title() { echo "make: one folder after the other"; }
case_packages() { echo make gcc libc6-dev python3; }
case_fixed() { echo "each folder a target of its own"; }
case_vain() { echo "built in memory instead of on the disk"; }
case_job() {
  local how=loop folder=$work/project
  [ "$variant" != fixed ] || how=targets
  [ "$variant" != vain ] || folder=/dev/shm/case-recursive-make
  rm -rf "$folder"
  mkdir "$folder"
  python3 "$case_dir/generate.py" "$folder" $how
  make -C "$folder" -j2 >/dev/null
  rm -rf "$folder"
}
case_whatif() { echo "--add-thread=cc1=1"; }
case_vain_whatif() { echo "--scale=disk $(disk_of "$work")=0"; }
