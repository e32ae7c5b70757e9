#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two kernels, joined by a virtual network, booted one after the other: clocks that really differ.
# One of them controls: starts, stops and collects both. The offset that gordian measures is
# compared with one measured from this machine, without gordian. The answers to questions over that
# network are matched with their senders, whatever the clocks say. usage: joined_guests_test.sh
# GUEST_SCRIPT GORDIAN GORDIAND
set -euo pipefail
guest=$1 gordian=$2 gordiand=$3
work=$(mktemp -d)
guests=()
clean_up() {
  [ ${#guests[@]} -eq 0 ] || kill "${guests[@]}" 2>/dev/null || true
  wait || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' INT TERM HUP
fail() {
  echo "joined_guests_test: $*" >&2
  tail -n 20 "$work"/a.log "$work"/b.log >&2 || true
  exit 1
}

# Debug information would only fill the guests' memory.
strip -g -o "$work/gordian" "$gordian"
strip -g -o "$work/gordiand" "$gordiand"
"$gordian" ca init "$work/ca" >/dev/null
"$gordian" ca issue "$work/ca" --operator alice >/dev/null
{
  printf 'certificate: /guest/alice.pem\nkey: /guest/alice.key\nauthority: /guest/ca.pem\nnodes:\n'
  printf "  a: '10.99.0.1:7470'\n  b: '10.99.0.2:7470'\n"
} >"$work/nodes.yaml"

# The first steps of both; $1 is the node's name, $2 its number. Its clock is told at port 9000, as
# its kernel tells it.
cat >"$work/node" <<'END'
ip addr add 10.99.0.$2/24 dev eth0
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth1
ip link set eth1 up
chmod 600 /guest/*.key
mkdir -p /tmp/state
echo '# nothing' >/tmp/gordiand.conf
cat >/tmp/gordiand.yaml <<YAML
network:
  listen: '10.99.0.$2:7470'
  certificate: /guest/$1.pem
  key: /guest/$1.key
  authority: /guest/ca.pem
audit:
  file: /tmp/audit.log
# An emulated machine would pause nearly all the time.
limits:
  max-cpu: none
YAML
echo 'min-free = 1M' >/tmp/gordiand.conf
gordiand --config /tmp/gordiand.conf --settings /tmp/gordiand.yaml --socket /tmp/socket --state-dir /tmp/state &
(while :; do nc -l -p 9000 -e cat /proc/uptime; done) 2>/dev/null &
END
cat >"$work/run-b" <<'END'
. /bin/node b 2
nc -l -p 9002 -e cat &
nc -l -p 9001 >/dev/null
END
# Until the clocks have been measured once more than at the start, then the session ends everywhere.
cat >"$work/run-a" <<'END'
. /bin/node a 1
on_all() { gordian "$@" --nodes-file /guest/nodes.yaml; }
until on_all status --nodes all >/dev/null 2>&1; do sleep 0.2; done
on_all start run --nodes all --require-all --max-size 16M || exit 1
until on_all status run --nodes b --json | grep -q clock_offset_ns; do sleep 0.2; done
ping -c 20 -i 0.05 10.99.0.2 >/dev/null
mkfifo /tmp/questions /tmp/answers
nc 10.99.0.2 9002 </tmp/questions >/tmp/answers &
exec 3>/tmp/questions 4</tmp/answers
for i in $(seq 1000); do
  echo "question $i" >&3
  read -r answer <&4
  [ "$answer" = "question $i" ] || exit 1
done
exec 3>&- 4<&-
on_all status run --nodes all
on_all status run --nodes all --json >/tmp/status.json
on_all stop run --nodes all || exit 1
on_all collect run --nodes all -o /tmp/run || exit 1
echo bye | nc 10.99.0.2 9001
END

boot() { # NODE NUMBER KERNEL OTHER FORWARDED_PORT
  "$gordian" ca issue "$work/ca" --node "$1" --address "10.99.0.$2" >/dev/null
  "$guest" "$3" --timeout 300 --memory 1024 --join "$work/$1.socket,$work/$4.socket" --forward "$5:9000" \
    --add "$work/gordian" --add "$work/gordiand" --add "$work/node" --add "$work/run-$1" \
    --add "$work/ca/$1.pem=/guest/$1.pem" --add "$work/ca/$1.key=/guest/$1.key" --add "$work/ca/ca.pem=/guest/ca.pem" \
    --add "$work/ca/alice.pem=/guest/alice.pem" --add "$work/ca/alice.key=/guest/alice.key" \
    --add "$work/nodes.yaml=/guest/nodes.yaml" --get /tmp/run --get /tmp/status.json --out "$work/out-$1" \
    -- sh "/bin/run-$1" >"$work/$1.log" 2>&1 &
  guests+=($!)
}

# Prints "OFFSET BOUND" in microseconds: the guest's uptime less this machine's clock, by the shortest of many questions.
# /proc/uptime is cut off at 10 ms.
ask_clock() { # PORT GUEST_PID
  local best_bound='' best_offset='' answers=0 before after uptime offset bound
  while [ $answers -lt 20 ]; do
    kill -0 "$2" 2>/dev/null || return 1
    before=${EPOCHREALTIME/./}
    uptime=$({ exec 3<>"/dev/tcp/127.0.0.1/$1" && read -r -t 2 first rest <&3 && echo "$first"; } 2>/dev/null) || true
    after=${EPOCHREALTIME/./}
    [[ $uptime == *.* ]] || { sleep 0.1; continue; }
    answers=$((answers + 1))
    bound=$(((after - before) / 2 + 5000))
    offset=$((10#${uptime/./} * 10000 + 5000 - (before + after) / 2))
    if [ -z "$best_bound" ] || [ $bound -lt "$best_bound" ]; then best_bound=$bound best_offset=$offset; fi
  done
  echo "$best_offset $best_bound"
}

base=$((20000 + RANDOM % 10000))
boot b 2 6.12 a $((base + 1))
clock_b=$(ask_clock $((base + 1)) "${guests[0]}") || fail "the first guest did not come up"
boot a 1 6.1 b "$base"  # later by seconds, and so is its clock
clock_a=$(ask_clock "$base" "${guests[1]}") || fail "the second guest did not come up"
# Again, about when the other was: both may run fast or slow beside this machine.
again=$(ask_clock $((base + 1)) "${guests[0]}") && clock_b=$again
for pid in "${guests[@]}"; do wait "$pid" || fail "a guest failed"; done
guests=()

read -r offset_a bound_a <<<"$clock_a"
read -r offset_b bound_b <<<"$clock_b"
truth_us=$((offset_a - offset_b))  # a is the reference
truth_bound_us=$((bound_a + bound_b))
[ ${truth_us#-} -gt 1000000 ] || fail "the clocks are not apart: $truth_us us"
told=0
while read -r offset_ns bound_ns; do
  told=$((told + 1))
  wrong_us=$((offset_ns / 1000 - truth_us))
  allowed_us=$((bound_ns / 1000 + truth_bound_us))
  echo "gordian: b's clock is $((offset_ns / 1000)) us from a's, at most $((bound_ns / 1000)) us wrong; past it: $truth_us us, at most $truth_bound_us us wrong"
  [ ${wrong_us#-} -le $allowed_us ] || fail "they differ by $wrong_us us, more than $allowed_us us"
done < <(jq -r '.nodes[].sessions[] | select(.clock_offset_ns != null) | "\(.clock_offset_ns) \(.clock_bound_ns)"' "$work/out-a/tmp/status.json")
[ $told -gt 0 ] || fail "no offset was measured"

# Packets that no recorded node sent under their address are counted apart: their number depends on how fast this machine is.
# Others unmatched were sent while the other node did not record. No message takes as long as the clocks are apart.
"$gordian" analyze "$work/out-a/tmp/run" --json "$work/report.json" >"$work/report.text" || fail "the recording cannot be analyzed"
jq '.cluster | del(.nodes, .links)' "$work/report.json"
jq -e '([.counters[] | select(.name == "messages_from_outside") | .value] | add // 0) as $outside | .cluster
  | .tcp_waits >= 1800 and $outside <= 0.05 * .tcp_waits
    and .matched_tcp_waits >= 0.99 * (.tcp_waits - $outside)
    and all(.nodes[]; .contradictions == 0)
    and all(.links[] | select(.timed_messages > 0); .shortest_s >= 0 and .median_s < 0.5)' "$work/report.json" >/dev/null ||
  fail "answers are not matched with who sent them: $(jq -c '.cluster, .counters' "$work/report.json")"
for node in a b; do
  events=$("$gordian" dump "$work/out-a/tmp/run/$node" --summary --json | jq '.events.switch // 0')
  echo "$node: $events switches"
  [ "$events" -gt 0 ] || fail "$node recorded nothing"
done
