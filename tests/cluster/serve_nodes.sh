#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What served_nodes_test asks of gordian serve while the daemons of scripts/demo-cluster run.
# usage: serve_nodes.sh PROGRAMS FOLDER
set -euo pipefail
programs=$1 folder=$2
fail() { echo "served_nodes_test: $*" >&2; exit 1; }

server=""
end_server() {
  # It may have ended by itself, and whoever is told to end does not end well: neither is a failure of the test.
  [ -z "$server" ] || { kill -INT "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
  server=""
}
trap end_server EXIT
serve() { # OPTIONS…: sets address and token
  end_server
  : >"$folder/served" # the last server's address is not this one's
  setpriv --pdeathsig KILL "$programs/gordian" serve "$@" --no-browser >"$folder/served" 2>"$folder/served.log" &
  server=$!
  for ((i = 0; i < 200; i++)); do
    grep -q Ctrl-C "$folder/served" && break
    kill -0 "$server" 2>/dev/null || fail "gordian serve ended: $(cat "$folder/served.log")"
    sleep 0.05
  done
  address=$(sed -n '1s,/?token=.*,,p' "$folder/served")
  token=$(sed -n '1s,.*token=,,p' "$folder/served")
}
ask() { # TARGET
  curl -sS --max-time 70 -H "Authorization: Bearer $token" "$address/api/$1"
}
status_of() { # TARGET
  curl -sS --max-time 70 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$address/api/$1"
}
encoded() { jq -rn --arg text "$1" '$text | @uri'; }
is() { # WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] || fail "$1: expected '$2', it is '$3'"
}

# The session has ended: its nodes are asked without being told so.
serve demo --nodes all --nodes-file "$folder/nodes.yaml"
is "the nodes" "client:node front:node back:node" "$(ask recordings | jq -r '[.recordings[] | "\(.name):\(.kind)"] | join(" ")')"
ask recordings | jq -r .instead | grep -q 'gordian collect demo --nodes all' || fail "nothing tells what has the whole cluster"
number=0
for node in client front back; do
  is "$node's session" complete "$(ask $number/state | jq -r .state)"
  words=$(ask $number/brief | jq -r .words)
  [ -n "$words" ] || fail "$node has no words"
  # The same as of the collected folder: the node's own.
  "$programs/gordian" query "$folder/recording/$node" --csv "SELECT count(*) FROM thread" | tail -n 1 >"$folder/threads"
  is "$node's threads" "$(cat "$folder/threads")" \
    "$(ask "$number/query?sql=$(encoded "SELECT count(*) FROM thread")" | jq -r '.rows[0][0]')"
  is "$node's report" 200 "$(status_of $number/page)"
  is "$node's units" 200 "$(status_of $number/units)"
  is "$node's tiles" 200 "$(status_of "$number/tiles?overview=1&pixels=100")"
  echo "$node: $words"
  number=$((number + 1))
done

# A slice of each of the client's threads goes on on the other nodes: its own part, and theirs, are those that gordian slice tells.
sql="SELECT id, tid, end_ns FROM thread WHERE name = 'client' ORDER BY tid LIMIT 2"
ask "0/query?sql=$(encoded "$sql")" | jq -r '.rows[] | @tsv' >"$folder/clients"
[ -s "$folder/clients" ] || fail "no thread of the client is there"
while read -r id tid end_ns; do
  slice="0/slice?thread=$id&at=$end_ns"
  ask "$slice" >"$folder/slice.json"
  jq -e .elsewhere "$folder/slice.json" >/dev/null || fail "no slice: $(cat "$folder/slice.json")"
  "$programs/gordian" slice demo --nodes all --nodes-file "$folder/nodes.yaml" --node client --thread "$tid" --by process \
    --json "$folder/asked.json" >/dev/null
  served_ns=$(jq '.all_ns + ([.elsewhere[].all_ns] | add // 0)' "$folder/slice.json")
  asked_ns=$(jq '[.all.times[] | tonumber] | add' "$folder/asked.json")
  # Pauses of other nodes count in a node's own time; without a budget there are none, and nanoseconds are rounded.
  difference_ns=$((served_ns > asked_ns ? served_ns - asked_ns : asked_ns - served_ns))
  echo "thread $tid: served $served_ns ns, asked $asked_ns ns; on $(jq -r '[.elsewhere[].node] | join(", ")' "$folder/slice.json")"
  [ $((difference_ns * 1000)) -le "$asked_ns" ] || fail "the slice in the page is another one"
  is "where the slice goes on" "front back" "$(jq -r '[.elsewhere[].node] | join(" ")' "$folder/slice.json")"
  # What it reached is a moment of that node's timeline.
  read -r recording thread at_ns <<<"$(jq -r '.elsewhere[0] | "\(.recording) \(.stretches.thread[0]) \(.stretches.from_ns[0])"' "$folder/slice.json")"
  is "a moment on the other node" 200 "$(status_of "$recording/moment?thread=$thread&at=$at_ns")"
done <"$folder/clients"

# What needs all nodes at once says so, and what has it.
for view in path participation "query?sql=$(encoded "SELECT * FROM critical_path")"; do
  is "$view" 400 "$(status_of "0/$view")"
  ask "0/$view" | grep -q 'gordian collect' || fail "$view does not tell what has it: $(ask "0/$view")"
done

# A node that does not answer is named; the others do, and a slice ends there.
sed 's/10\.77\.1\.3:7470/10.77.1.3:7471/' "$folder/nodes.yaml" >"$folder/absent.yaml"
serve demo --nodes all --nodes-file "$folder/absent.yaml" --in-place
is "the absent node's state" 500 "$(status_of 2/state)"
ask 2/page | grep -q '^{"error":"back: ' || fail "the absent node is not named: $(ask 2/page)"
is "another node's report" 200 "$(status_of 0/page)"
ask "$slice" | jq -r '.notes[]' | grep -q 'back does not answer' || fail "the slice does not tell that back is absent"

# A viewer sees what sessions do; only operators may ask about recordings.
[ -f "$folder/ca/looker.pem" ] || "$programs/gordian" ca issue "$folder/ca" --viewer looker >/dev/null
sed 's/demo\.\(pem\|key\)/looker.\1/' "$folder/nodes.yaml" >"$folder/looker.yaml"
serve demo --nodes all --nodes-file "$folder/looker.yaml" --in-place
is "what a viewer sees of the session" complete "$(ask 0/state | jq -r .state)"
ask 0/page | grep -qi operator || fail "a viewer is not told why: $(ask 0/page)"

# A session that runs is shown as it was when its node was first asked, until somebody asks again.
"$programs/gordian" start later --nodes all --nodes-file "$folder/nodes.yaml" >/dev/null
serve later --nodes all --nodes-file "$folder/nodes.yaml" --in-place
is "a session that runs" recording "$(ask 1/state | jq -r .state)"
for ((i = 0; i < 100; i++)); do # until it has recorded something
  before=$(ask 1/brief | jq '.events // 0')
  [ "$before" -gt 0 ] && break
  sleep 0.1
done
is "what is not asked again" "$before" "$(ask 1/brief | jq .events)"
for ((i = 0; i < 100; i++)); do # until a block of events was written
  after=$(ask "1/brief?again=1" | jq '.events // 0')
  [ "$after" -gt "$before" ] && break
  sleep 0.1
done
[ "$after" -gt "$before" ] || fail "asked again, the node has no more events than before: $before"
is "its report" 200 "$(status_of 1/page)"
"$programs/gordian" stop later --nodes all --nodes-file "$folder/nodes.yaml" >/dev/null

# Options that the nodes cannot be asked with are refused.
if "$programs/gordian" serve demo --nodes all --nodes-file "$folder/nodes.yaml" --in-place --comm client --no-browser 2>"$folder/refused"; then
  fail "--comm was taken"
fi
grep -q -e '--comm needs the recordings here' "$folder/refused" || fail "nothing tells why: $(cat "$folder/refused")"
