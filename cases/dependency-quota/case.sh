# SPDX-License-Identifier: Apache-2.0
# A shop asks a tax office that runs in a container with a fifth of a CPU: in each 100 ms it runs for 20 and then stands still.
# The shop is the target; the quota is another group's.
# shellcheck shell=bash
case_title() { echo "A service asked for taxes has a fifth of a CPU"; }
case_packages() { echo perl python3; }
case_fixed() { echo "a quota of one CPU for the tax office"; }
case_vain() { echo "eight threads of the shop instead of four"; }
# With cgroup v1 the folder of the cpu controller; else that of v2.
quota_folder() {
  if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then echo /sys/fs/cgroup/cpu/case-dependency-quota; else echo /sys/fs/cgroup/case-dependency-quota; fi
}
limit_cpu() { # PID MICROSECONDS in 100 ms
  local folder
  folder=$(quota_folder)
  [ -e "${folder%/*}/cpu.cfs_quota_us" ] || echo +cpu >"${folder%/*}/cgroup.subtree_control"
  mkdir -p "$folder"
  # The weight is the largest: the quota shall be the limit, not what else runs on the machine.
  if [ -e "$folder/cpu.cfs_quota_us" ]; then
    echo "$2" >"$folder/cpu.cfs_quota_us"
    echo 262144 >"$folder/cpu.shares"
  else
    echo "$2 100000" >"$folder/cpu.max"
    echo 10000 >"$folder/cpu.weight"
  fi
  echo "$1" >"$folder/cgroup.procs"
}
case_start() {
  local quota_us=20000
  [ "$variant" != fixed ] || quota_us=100000
  serve perl "$case_dir/taxes.pl" 21844 5000
  wait_for_port 21844
  limit_cpu "${served[0]}" $quota_us
}
case_target() { echo "--comm shop.py"; }
case_load() {
  local threads=4
  [ "$variant" != vain ] || threads=8
  as_nobody "$case_dir/shop.py" 21844 $threads 300 "$1"
}
case_whatif() { echo "--quota=case-dependency-quota=1"; }
case_vain_whatif() { echo "--clients=shop.py=2"; }
case_stop() {
  stop_served
  if [ -d "$(quota_folder)" ]; then rmdir "$(quota_folder)"; fi
}
