# SPDX-License-Identifier: Apache-2.0
# A parallel stream in a pool of eight; all its tasks share one connection, locked while a question waits for its answer.
# shellcheck shell=bash
case_title() { echo "Java: a shared connection blocks a ForkJoinPool"; }
case_packages() { echo openjdk-17-jdk-headless python3; }
case_fixed() { echo "a connection for each thread of the pool"; }
case_vain() { echo "a pool of 32 threads instead of 8"; }
case_prepare() { mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Quotes.java"; }
case_start() {
  serve python3 "$case_dir/service.py" 21333
  wait_for_port 21333
}
case_target() { echo "--comm java"; }
case_load() {
  local threads=8 connections=shared
  [ "$variant" != fixed ] || connections=each
  [ "$variant" != vain ] || threads=32
  as_nobody java -Xmx256m -cp "$work/classes" Quotes "$1" 21333 $threads $connections
}
case_whatif() { echo "--lock=ForkJoinPool-1-->ForkJoinPool-1-"; }
case_vain_whatif() { echo "--add-thread=ForkJoinPool-1-=24"; }
