# SPDX-License-Identifier: Apache-2.0
# A Java thread for each CPU; nearly all they do they do under one lock.
# shellcheck shell=bash
case_title() { echo "Java: one global lock"; }
case_packages() { echo openjdk-17-jdk-headless; }
case_fixed() { echo "64 locks instead of one"; }
case_prepare() { mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Store.java"; }
case_target() { echo "--comm java"; }
case_load() {
  local locks=1
  [ "$variant" = plain ] || locks=64
  as_nobody java -Xmx256m -cp "$work/classes" Store "$1" $locks
}
case_whatif() { echo "--lock=@attack"; }
