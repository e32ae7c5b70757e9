# SPDX-License-Identifier: Apache-2.0
# Four threads read parts of an index at random; the index has 160 MB, and the group of the process may keep 48 MB in memory.
# shellcheck shell=bash
case_title() { echo "A memory limit below the index"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "a limit of 400 MB"; }
case_vain() { echo "a checksum in half of the time"; }
group=/sys/fs/cgroup/memory/gordian-case-memory-limit
case_prepare() {
  gcc -O2 -g -pthread -o "$work/index" "$case_dir/index.c" && chmod 755 "$work/index"
  head -c 160000000 /dev/urandom >"$work/data"
  chmod 644 "$work/data"
  sync "$work/data"
}
case_start() {
  local limit=48000000
  [ "$variant" != fixed ] || limit=400000000
  dd if=/dev/null of="$work/data" oflag=nocache conv=notrunc,fdatasync count=0 status=none # as yet others keep it in memory
  [ -d $group ] || mkdir $group
  # What cannot be dropped just now stays, and counts against the limit as it would anyway.
  echo 1 >$group/memory.force_empty 2>/dev/null || true
  echo $limit >$group/memory.limit_in_bytes
  [ "$variant" != fixed ] || bash -c "echo \$\$ >$group/cgroup.procs && cat '$work/data' >/dev/null"
}
case_target() { echo "--comm index"; }
case_load() {
  local bytes=8192
  [ "$variant" != vain ] || bytes=4096
  bash -c "echo \$\$ >$group/cgroup.procs && exec setpriv --reuid=nobody --regid=nogroup --clear-groups '$work/index' '$work/data' $1 $bytes"
}
case_whatif() { echo "--scale=disk $(disk_of "$work")=0"; }
case_vain_whatif() { echo "--function=checksum=0.5"; }
case_stop() {
  # A case that never began has no group, and a group with a process of another case stays.
  echo 1 >$group/memory.force_empty 2>/dev/null || true
  rmdir $group 2>/dev/null || true
}
