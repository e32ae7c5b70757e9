# SPDX-License-Identifier: Apache-2.0
# What a recording costs the throughput of a case, as people record (scripts/cases --cost): sampled stacks, the default budget, and
# the start of the recorder included. Sourced by scripts/cases.
# The server runs all the time, and so does its load, in slices. A pair is a plain slice and a recorded one, in an order that a coin
# decides: then what drifts in the machine touches both alike. Pairs go on until the mean of a case is known well enough, or there
# are too many of them. cases/results.py says what they tell.
# shellcheck shell=bash

recorded_slice() { # prints the throughput; the load and the recorder begin together
  rm -rf "$work/recording"
  "$gordian" record -o "$work/recording" 2>"$work/recorder.log" &
  recorder_pid=$!
  throughput
  stop_recorder
}

cost_pair() { # appends "PLAIN RECORDED" to the results
  local plain recorded
  if [ $((RANDOM % 2)) = 0 ]; then
    plain=$(throughput)
    recorded_slice >"$work/recorded-slice"
  else
    recorded_slice >"$work/recorded-slice"
    plain=$(throughput)
  fi
  recorded=$(cat "$work/recorded-slice")
  [[ "$plain $recorded" =~ ^[0-9.e+]+\ [0-9.e+]+$ ]] || fail "no throughput came out of the load: '$plain' and '$recorded'"
  printf '%s %s\n' "$plain" "$recorded" >>"$results/pairs"
}

# RANDOM takes its first value from the process: each run tosses other coins.
measure_cost() { # MOST-PAIRS
  local pair
  variant=plain
  rm -f "$results/pairs"
  case_start
  throughput >/dev/null
  for ((pair = 0; pair < $1; pair++)); do
    cost_pair
    ! cases/results.py known "$results/pairs" || break
  done
  stop_all
  cases/results.py cost build/cases "$case_name" | sed -n 3p
}
