# SPDX-License-Identifier: Apache-2.0
# Six Perl processes draw numbers from a service that takes 2 ms, each while it holds the lock of one file.
# shellcheck shell=bash
case_title() { echo "Perl: a file's lock held around a question"; }
case_packages() { echo perl gcc libc6-dev; }
case_fixed() { echo "a file for each process"; }
case_vain() { echo "twelve processes"; }
case_prepare() {
  build_remote numbers
  mkdir -p "$work/notes"
  chmod 777 "$work/notes"
}
case_start() {
  serve "$work/numbers" 21915 2 line
  wait_for_port 21915
}
case_target() { echo "--comm number.pl"; }
case_load() {
  local files=one processes=6
  [ "$variant" != fixed ] || files=each
  [ "$variant" != vain ] || processes=12
  as_nobody "$case_dir/number.pl" 21915 $processes "$work/notes" $files "$1"
}
case_whatif() { echo "--lock=number.pl->number.pl"; }
case_vain_whatif() { echo "--clients=number.pl=2"; }
