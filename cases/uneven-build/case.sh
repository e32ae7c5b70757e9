# SPDX-License-Identifier: Apache-2.0
# make -j2 with eight short jobs and a long one that is started last: at the end one CPU has nothing to do.
# shellcheck shell=bash
case_title() { echo "make -j2: one long job, started last"; }
case_packages() { echo make xz-utils; }
case_fixed() { echo "the long job first"; }
case_prepare() {
  find /usr/include /usr/share/perl -type f -name '*.[hp]*' -print0 2>/dev/null | sort -z | xargs -0 cat 2>/dev/null |
    head -c 12000000 >"$work/text" || true
}
case_job() {
  local order=last
  [ "$variant" = plain ] || order=first
  rm -rf "$work/out"
  mkdir "$work/out"
  make -s -j2 -f "$case_dir/Makefile" IN="$work/text" OUT="$work/out" ORDER=$order
}
