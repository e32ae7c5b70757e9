# SPDX-License-Identifier: Apache-2.0
# tar packs files, xz compresses them with one thread: the one stage that is slow.
# shellcheck shell=bash
case_title() { echo "tar | xz: one stage computes"; }
case_packages() { echo tar xz-utils pixz; }
case_fixed() { echo "pixz with two threads"; }
case_prepare() {
  mkdir "$work/files"
  # Text that compresses as text does.
  local i
  for i in 1 2 3 4; do
    find /usr/include /usr/share/perl -type f -name '*.[hp]*' -print0 2>/dev/null | sort -z | xargs -0 cat 2>/dev/null |
      tail -c +$((i * 3000000)) | head -c 6000000 >"$work/files/$i" || true
  done
}
case_job() {
  if [ "$variant" = plain ]; then
    tar -C "$work" -c files | xz -T1 -3 >"$work/files.tar.xz"
  else
    tar -C "$work" -c files | pixz -p 2 -3 >"$work/files.tar.xz"
  fi
}
case_whatif() { echo "--add-thread=xz=1"; }
