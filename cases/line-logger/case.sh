# SPDX-License-Identifier: Apache-2.0
# One thread writes lines to a log and syncs it after each.
# shellcheck shell=bash
case_title() { echo "A logger that syncs after each line"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "one sync for 64 lines"; }
case_prepare() { gcc -O2 -g -o "$work/logger" "$case_dir/logger.c" && chmod 755 "$work/logger"; }
case_target() { echo "--comm logger"; }
case_load() {
  local lines=1
  [ "$variant" != fixed ] || lines=64
  as_nobody "$work/logger" "$1" "$work/lines.log" $lines
}
case_whatif() { echo "--skip=logger->disk $(disk_of "$work")=64"; }
