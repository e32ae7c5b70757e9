# SPDX-License-Identifier: Apache-2.0
# A reader makes 64 blocks at once and queues them for a worker; the queue holds one.
# shellcheck shell=bash
case_title() { echo "Java: producer and consumer with a small queue"; }
case_packages() { echo openjdk-17-jdk-headless; }
case_fixed() { echo "a queue of 256 instead of 1"; }
case_prepare() { mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Pipeline.java"; }
case_target() { echo "--comm java"; }
case_load() {
  local capacity=1
  [ "$variant" = plain ] || capacity=256
  as_nobody java -Xmx256m -cp "$work/classes" Pipeline "$1" $capacity
}
case_whatif() { printf "%s\n" "--async=reader->worker" "--async=worker->reader"; }
