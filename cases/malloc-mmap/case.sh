# SPDX-License-Identifier: Apache-2.0
# Two threads scale pictures in a buffer of 2 MB each that they allocate anew. With a fixed threshold, malloc maps it each time, and each page
# of it is a page fault.
# shellcheck shell=bash
case_title() { echo "malloc maps each buffer anew"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "no MALLOC_MMAP_THRESHOLD_: the heap keeps the buffer"; }
case_vain() { echo "four threads instead of two"; }
case_prepare() { gcc -O2 -g -fno-omit-frame-pointer -pthread -o "$work/pictures" "$case_dir/pictures.c" && chmod 755 "$work/pictures"; }
case_target() { echo "--comm pictures"; }
case_load() {
  local threads=2 setting=MALLOC_MMAP_THRESHOLD_=131072
  [ "$variant" != fixed ] || setting=NO_SETTING=1
  [ "$variant" != vain ] || threads=4
  as_nobody env $setting "$work/pictures" $threads "$1"
}
case_whatif() { echo "--function=asm_exc_page_fault=0"; }
case_vain_whatif() { echo "--add-thread=pictures=2"; }
