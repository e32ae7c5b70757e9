# SPDX-License-Identifier: Apache-2.0
# A Go service in a container that may use half a CPU: in each 100 ms it runs 50 and then stands still. The machine idles meanwhile.
# shellcheck shell=bash
case_title() { echo "Go: a container with half a CPU"; }
case_packages() { echo golang-go wrk; }
case_fixed() { echo "a quota of one and a half CPUs"; }
case_vain() { echo "GOMAXPROCS=8 instead of 2"; }
# With cgroup v1 the folder of the cpu controller; else that of v2.
quota_folder() {
  if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then echo /sys/fs/cgroup/cpu/case-go-cpu-quota; else echo /sys/fs/cgroup/case-go-cpu-quota; fi
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
case_prepare() {
  (cd "$case_dir" && HOME="$work" GOCACHE="$work/go-cache" GO111MODULE=off go build -o "$work/render" render.go)
  chmod 755 "$work/render"
}
case_start() {
  local quota_us=50000 processors=2
  [ "$variant" != fixed ] || quota_us=150000
  [ "$variant" != vain ] || processors=8
  serve env GOMAXPROCS=$processors "$work/render" 127.0.0.1:21692
  wait_for_port 21692
  limit_cpu "${served[0]}" $quota_us
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { wrk -t 1 -c 8 -d "$1" http://127.0.0.1:21692/ | awk '/^Requests\/sec/{print $2}'; }
# No question tells what a larger quota gains: more CPUs of the machine are another thing, and gain nothing under the quota.
case_whatif() { echo "--quota=render=1.5"; }
case_vain_whatif() { echo "--add-thread=render=6"; }
case_stop() {
  stop_served
  if [ -d "$(quota_folder)" ]; then rmdir "$(quota_folder)"; fi
}
