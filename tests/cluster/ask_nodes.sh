#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What asked_slice_test asks while the daemons of scripts/demo-cluster run.
# usage: ask_nodes.sh PROGRAMS FOLDER
set -euo pipefail
programs=$1 folder=$2
fail() { echo "asked_slice_test: $*" >&2; exit 1; }
ask() { "$programs/gordian" slice demo --node client "$@"; }
of() { jq -r "$2" "$1"; } # FILE FILTER
total='[.all.times | .[] | tonumber] | add'
names='[.rows[] | .name] | sort | join(", ")'
shape='[.rows[] | "\(.name) \(.threads)"] | sort | join(", ")'

# Every thread of the client. The collected recording tightens its clocks by messages, so a stretch's end may move by as much
# as the measured clocks are in doubt (a millisecond, here), and a thread that woke within that time may be in one slice alone:
# less than a hundredth of the whole. Rows by process are the same.
threads=$("$programs/gordian" query "$folder/recording" --csv \
  "SELECT tid FROM thread WHERE node = 'client' AND name = 'client' ORDER BY tid" | tail -n +2)
for thread in $threads; do
  ask --thread "$thread" --nodes all --nodes-file "$folder/nodes.yaml" --by process --json "$folder/asked.json"
  "$programs/gordian" slice "$folder/recording" --node client --thread "$thread" --by process --json "$folder/collected.json"
  asked_ns=$(of "$folder/asked.json" "$total")
  collected_ns=$(of "$folder/collected.json" "$total")
  difference_ns=$((asked_ns > collected_ns ? asked_ns - collected_ns : collected_ns - asked_ns))
  echo "thread $thread: asked $asked_ns ns, collected $collected_ns ns, difference $difference_ns ns;" \
    "asked $(of "$folder/asked.json" "$shape"); collected $(of "$folder/collected.json" "$shape"), $(of "$folder/collected.json" .all.stretches) stretches"
  [ "$collected_ns" -gt 0 ] || fail "the slice of the collected recording is empty"
  [ "$(of "$folder/asked.json" "$names")" = "$(of "$folder/collected.json" "$names")" ] ||
    fail "asked: $(of "$folder/asked.json" "$shape"); collected: $(of "$folder/collected.json" "$shape")"
  [ $((difference_ns * 100)) -le "$collected_ns" ] || fail "asked: $asked_ns ns, collected: $collected_ns ns"
done
ask --thread "$thread" --nodes all --nodes-file "$folder/nodes.yaml" --by process | tee "$folder/told" # and what was not followed
# To ask moves less than to collect.
read -r moved collecting <<<"$(sed -n 's/^asked .*, \([0-9.]*\) \(.*\)B moved; collecting moves \([0-9.]*\) \(.*\)B$/\1\2 \3\4/p' "$folder/told")"
[ -n "$collecting" ] || fail "nothing tells what was moved"
[ "$(numfmt --from=auto "$moved")" -lt "$(numfmt --from=auto "$collecting")" ] || fail "$moved moved; collecting moves $collecting"

# Each node answers for itself: what it says of its threads is what the collected folder has of them.
query() { "$programs/gordian" query demo --nodes-file "${nodes_file:-$folder/nodes.yaml}" "$@"; }
query --nodes all
[ "$(query --nodes all --csv | wc -l)" = 4 ] || fail "no overview of three nodes"
of_threads="SELECT tid, run_ns + runnable_ns + wait_ns + unknown_ns AS all_ns FROM thread WHERE name = 'backend' ORDER BY tid"
query --nodes back --csv "$of_threads" | tail -n +2 | cut -d, -f2- >"$folder/asked.csv"
"$programs/gordian" query "$folder/recording/back" --csv "$of_threads" | tail -n +2 >"$folder/own.csv"
[ -s "$folder/own.csv" ] && cmp "$folder/asked.csv" "$folder/own.csv" || fail "back answers otherwise than its recording"
if query --nodes all "SELECT * FROM critical_path" 2>"$folder/refused"; then fail "a path of each node alone was told"; fi
grep -q gordian-mpi "$folder/refused" || fail "nothing tells what has the path: $(cat "$folder/refused")"

# A node that does not answer is named, and the slice ends there.
sed 's/10\.77\.1\.3:7470/10.77.1.3:7471/' "$folder/nodes.yaml" >"$folder/absent.yaml"
ask --thread "$thread" --nodes all --nodes-file "$folder/absent.yaml" >"$folder/absent" || fail "an absent node was taken for a failure"
grep -q 'back does not answer' "$folder/absent" || fail "nothing tells that back is absent: $(cat "$folder/absent")"

nodes_file=$folder/absent.yaml query --nodes all --csv >"$folder/absent" 2>"$folder/absent.log" ||
  fail "an absent node was taken for a failure"
grep -q '^gordian: back: ' "$folder/absent.log" || fail "nothing tells that back is absent: $(cat "$folder/absent.log")"
[ "$(wc -l <"$folder/absent")" = 3 ] || fail "the others do not answer: $(cat "$folder/absent")"

# Only operators may ask.
"$programs/gordian" ca issue "$folder/ca" --viewer looker >/dev/null
sed 's/demo\.\(pem\|key\)/looker.\1/' "$folder/nodes.yaml" >"$folder/looker.yaml"
if ask --thread "$thread" --nodes all --nodes-file "$folder/looker.yaml" 2>"$folder/refused"; then fail "a viewer was answered"; fi
grep -qi 'operator' "$folder/refused" || fail "a viewer is not told why: $(cat "$folder/refused")"
