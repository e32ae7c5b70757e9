# SPDX-License-Identifier: Apache-2.0
# What recording costs a case (scripts/cases --overhead). Sourced by scripts/cases.
# The server runs all the time, and so does its load, in slices: plain, recorded one way, plain, recorded another way, … Each
# recorded slice is set beside the two plain ones around it, so that what else goes on in the machine touches both alike; the median
# of such pairs stands. One more, longer slice of each way tells the CPU time that recorder and BPF programs took: the kernel's own
# statistics of BPF programs cost a little, so they are on in that one only.
# shellcheck shell=bash

# off, sampled: all the time, without stacks and with; budget: as gordian record does by itself.
ways=(off sampled budget perf bpftrace)
cpu_slice_seconds=5
recorder_pid=
bpf_stats=/proc/sys/kernel/bpf_stats_enabled
bpf_stats_before=

restore_bpf_stats() {
  [ -z "$bpf_stats_before" ] || echo "$bpf_stats_before" >"$bpf_stats"
  bpf_stats_before=
}

# A file that appears when recording is under way; ends after 20 s at the latest.
wait_until_there() { # FILE
  local deadline=$((SECONDS + 20))
  until [ -s "$1" ] || [ "$SECONDS" -ge "$deadline" ]; do sleep 0.1; done
}

start_recorder() { # WAY
  rm -rf "$work/recording" "$work/perf.data" "$work/offcpu.out"
  case $1 in
    off | sampled | budget)
      local options=(--stacks="$1" --budget none)
      [ "$1" != budget ] || options=()
      "$gordian" record "${options[@]}" -o "$work/recording" 2>"$work/recorder.log" &
      recorder_pid=$!
      wait_until_there "$work/recording/cpu-000.trace"
      ;;
    perf)
      perf sched record -o "$work/perf.data" sleep infinity >/dev/null 2>"$work/recorder.log" &
      recorder_pid=$!
      ;;
    bpftrace)
      bpftrace -B line -o "$work/offcpu.out" cases/offcpu.bt >"$work/recorder.log" 2>&1 &
      recorder_pid=$!
      wait_until_there "$work/offcpu.out" # it says that its probes are attached
      ;;
  esac
  sleep 1
}

stop_recorder() {
  [ -n "$recorder_pid" ] || return 0
  kill -INT "$recorder_pid" 2>/dev/null || true
  wait "$recorder_pid" 2>/dev/null || true
  recorder_pid=
}

# CPU seconds of a process and of the children it has waited for.
cpu_seconds() { # PID
  sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{print ($12 + $13 + $14 + $15) / hz}'
}

# Nanoseconds in which the BPF programs ran that have been loaded since $work/programs was written.
bpf_ns() {
  bpftool -j prog show | jq --slurpfile before "$work/programs" '[.[] | select(.id as $id | $before[0] | index($id) | not) | .run_time_ns // 0] | add // 0'
}

# One slice; appends "WAY THROUGHPUT" to the results.
slice() { # WAY
  [ "$1" = plain ] || start_recorder "$1"
  local value
  value=$(throughput)
  stop_recorder
  printf '%s %s\n' "$1" "$value" >>"$results/slices"
}

# Shares of all CPUs' time that the recorder's process and its BPF programs took.
cpu_slice() { # WAY
  local seconds=$cpu_slice_seconds
  local begin_s end_s begin_ns end_ns began_ns
  bpftool -j prog show | jq '[.[].id]' >"$work/programs"
  bpf_stats_before=$(cat "$bpf_stats")
  echo 1 >"$bpf_stats"
  start_recorder "$1"
  began_ns=$(date +%s%N)
  begin_s=$(cpu_seconds "$recorder_pid")
  begin_ns=$(bpf_ns)
  throughput >/dev/null
  end_s=$(cpu_seconds "$recorder_pid")
  end_ns=$(bpf_ns)
  awk -v way="$1" -v cpus="$(nproc)" -v wall_ns=$(($(date +%s%N) - began_ns)) -v process_s="$begin_s $end_s" -v bpf_ns="$begin_ns $end_ns" \
    'BEGIN{split(process_s, p, " "); split(bpf_ns, b, " "); all_s = wall_ns / 1e9 * cpus; print way, (p[2] - p[1]) / all_s, (b[2] - b[1]) / 1e9 / all_s}' \
    >>"$results/cpu"
  stop_recorder
  restore_bpf_stats
  [ "$1" = sampled ] || return 0
  # What the trace weighs, and how long its analysis takes.
  awk -v bytes="$(du -sb "$work/recording" | cut -f 1)" -v ns=$(($(date +%s%N) - began_ns)) 'BEGIN{print "bytes_per_second", bytes * 1e9 / ns}' >>"$results/trace"
  began_ns=$(date +%s%N)
  "$gordian" analyze "$work/recording" >"$work/report.text"
  awk -v ns=$(($(date +%s%N) - began_ns)) 'BEGIN{print "analysis_seconds", ns / 1e9}' >>"$results/trace"
  sed -n 's/^gordian: recorded/recorded/p' "$work/recorder.log" >>"$results/trace"
}

measure_overhead() { # PAIRS
  local pair way
  variant=plain
  rm -f "$results"/{slices,cpu,trace}
  case_start
  throughput >/dev/null
  slice plain
  for ((pair = 0; pair < $1; pair++)); do
    for way in "${ways[@]}"; do
      slice "$way"
      slice plain
    done
  done
  for way in "${ways[@]}"; do cpu_slice "$way"; done
  stop_all
}
