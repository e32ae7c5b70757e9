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
ask --thread "$thread" --nodes all --nodes-file "$folder/nodes.yaml" --by process # what was moved, and what was not followed

# A node that does not answer is named, and the slice ends there.
sed 's/10\.77\.1\.3:7470/10.77.1.3:7471/' "$folder/nodes.yaml" >"$folder/absent.yaml"
ask --thread "$thread" --nodes all --nodes-file "$folder/absent.yaml" >"$folder/absent" || fail "an absent node was taken for a failure"
grep -q 'back does not answer' "$folder/absent" || fail "nothing tells that back is absent: $(cat "$folder/absent")"

# Only operators may ask.
"$programs/gordian" ca issue "$folder/ca" --viewer looker >/dev/null
sed 's/demo\.\(pem\|key\)/looker.\1/' "$folder/nodes.yaml" >"$folder/looker.yaml"
if ask --thread "$thread" --nodes all --nodes-file "$folder/looker.yaml" 2>"$folder/refused"; then fail "a viewer was answered"; fi
grep -qi 'operator' "$folder/refused" || fail "a viewer is not told why: $(cat "$folder/refused")"
