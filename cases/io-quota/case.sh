# SPDX-License-Identifier: Apache-2.0
# Four threads read records at random from a file, past the page cache. Their control group may read 400 times a second; the disk
# could do many times as much.
# shellcheck shell=bash
case_title() { echo "A control group with 400 reads a second"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "a limit of 2,000 reads a second"; }
case_vain() { echo "sixteen threads instead of four"; }
quota_folder() {
  if [ -d /sys/fs/cgroup/blkio ]; then echo /sys/fs/cgroup/blkio/case-io-quota; else echo /sys/fs/cgroup/case-io-quota; fi
}
limit_reads() { # A SECOND
  local folder device
  folder=$(quota_folder)
  device=$(lsblk -n -d -o MAJ:MIN "/dev/$(disk_of "$work")" | tr -d ' ')
  [ -d /sys/fs/cgroup/blkio ] || echo +io >"${folder%/*}/cgroup.subtree_control"
  mkdir -p "$folder"
  if [ -e "$folder/blkio.throttle.read_iops_device" ]; then
    echo "$device $1" >"$folder/blkio.throttle.read_iops_device"
  else
    echo "$device riops=$1" >"$folder/io.max"
  fi
}
case_prepare() {
  gcc -O2 -g -pthread -o "$work/records" "$case_dir/records.c" && chmod 755 "$work/records"
  head -c 256M /dev/urandom >"$work/data"
  chmod 644 "$work/data"
  sync "$work/data"
}
case_start() {
  local reads=400
  [ "$variant" != fixed ] || reads=2000
  limit_reads $reads
}
case_target() { echo "--comm records"; }
case_load() {
  local threads=4
  [ "$variant" != vain ] || threads=16
  (
    echo $BASHPID >"$(quota_folder)/cgroup.procs"
    as_nobody "$work/records" "$work/data" $threads "$1"
  )
}
# A disk that takes a fifth of the time is the nearest question to five times the limit.
case_whatif() { echo "--scale=disk $(disk_of "$work")=0.2"; }
case_vain_whatif() { echo "--add-thread=records=12"; }
case_stop() {
  if [ -d "$(quota_folder)" ]; then rmdir "$(quota_folder)"; fi
}
