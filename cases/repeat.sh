# SPDX-License-Identifier: Apache-2.0
# Whether the same load gives the same answer (scripts/cases --repeat). Sourced by scripts/cases.
# The server goes on, and its load is recorded again and again: each time alone, then beside another program that works and sleeps by
# turns, as a build or a nightly job does. Results in build/cases/NAME: report-alone-N.json and report-beside-N.json.
# shellcheck shell=bash

other=

# Near half of a CPU, in pieces of a random length.
start_other() {
  set -m # a group of its own
  setpriv --reuid=nobody --regid=nogroup --clear-groups -- bash -c 'while :; do
    timeout "0.$((RANDOM % 6 + 1))" gzip -1 </dev/urandom >/dev/null
    sleep "0.$((RANDOM % 6 + 2))"
  done' >/dev/null 2>&1 </dev/null &
  set +m
  other=$!
}

stop_other() {
  [ -n "$other" ] || return 0
  kill -KILL -- "-$other" 2>/dev/null || true # it may have ended by itself
  wait "$other" 2>/dev/null || true           # its status is that of the kill
  other=
}

repeat_once() { # alone|beside NUMBER
  round=$work/repeated
  rm -rf "$round"
  mkdir "$round"
  [ "$1" = alone ] || start_other
  record_run >/dev/null
  stop_other
  "$gordian" analyze "$round/recording" --json "$results/report-$1-$2.json" >"$results/report-$1-$2.text"
}

repeat_case() { # NAME
  local number how
  begin_case "$1"
  rm -f "$results"/report-*
  cp "$case_dir/expect" "$results/expect"
  case_start
  throughput >/dev/null # warms up
  for ((number = 1; number <= rounds; number++)); do
    for how in alone beside; do repeat_once "$how" "$number"; done
  done
  stop_all
  cases/results.py repeated build/cases "$case_name" | tail -n 2 | head -n 1
}
