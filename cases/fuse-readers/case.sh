# SPDX-License-Identifier: Apache-2.0
# Four processes read from a file system in user space. It unpacks each block, with one thread.
# shellcheck shell=bash
case_title() { echo "FUSE: one thread answers four readers"; }
case_packages() { echo libfuse3-dev fuse3 gcc libc6-dev pkg-config; }
case_fixed() { echo "a thread for each request"; }
case_vain() { echo "eight readers instead of four"; }
case_prepare() {
  # shellcheck disable=SC2046  # one argument a word
  gcc -O2 -g $(pkg-config --cflags fuse3) -o "$work/blockfs" "$case_dir/blockfs.c" $(pkg-config --libs fuse3)
  gcc -O2 -g -o "$work/readers" "$case_dir/readers.c"
  mkdir "$work/mounted"
}
# As root: the device /dev/fuse may be closed for others.
case_start() {
  local threads=-s deadline=$((SECONDS + 10))
  [ "$variant" != fixed ] || threads=
  # shellcheck disable=SC2086  # no word if it is empty
  "$work/blockfs" -f $threads -o allow_other "$work/mounted" >>"$work/serve.log" 2>&1 </dev/null &
  until mountpoint -q "$work/mounted"; do
    [ "$SECONDS" -lt "$deadline" ] || fail "nothing was mounted: $(tail -n 1 "$work/serve.log")"
    sleep 0.1
  done
}
# What is slow for a user are the readers.
case_target() { echo "--comm readers"; }
case_load() {
  local processes=4
  [ "$variant" != vain ] || processes=8
  as_nobody "$work/readers" "$1" $processes "$work/mounted"
}
case_whatif() { echo "--add-thread=blockfs=1"; }
case_vain_whatif() { echo "--clients=readers=2"; }
case_stop() {
  ! mountpoint -q "$work/mounted" || umount "$work/mounted" || umount -l "$work/mounted"
}
