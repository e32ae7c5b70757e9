#!/usr/bin/env bash
# Boots a guest kernel that sleeps for some seconds while it is recorded: the sleep is noticed, and no wait contains it.
# usage: suspend_test.sh KERNEL GUEST_SCRIPT GORDIAN
set -euo pipefail
kernel=$1 guest=$2 gordian=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The sleeper's waits of 100 ms begin before the sleep and go on behind it. The guest's clock wakes it.
cat >"$work/sleep-once" <<'END'
while :; do usleep 100000; done &
gordian record --stacks off -o /tmp/out &
recorder=$!
until [ -e /tmp/out/session.pb ]; do usleep 50000; done
echo +6 >/sys/class/rtc/rtc0/wakealarm
echo mem >/sys/power/state || exit 77
sleep 1
kill -INT "$recorder"
wait "$recorder"
END

code=0
"$guest" "$kernel" --timeout 240 --get /tmp/out --out "$work/out" --add "$gordian" --add "$work/sleep-once" -- \
  sh /bin/sleep-once || code=$?
[ "$code" = 0 ] || { echo "suspend_test: $kernel: recording ended with $code" >&2; exit 1; }

session=$work/out/tmp/out
"$gordian" analyze "$session" --no-predictions --comm usleep --json "$work/report.json" >"$work/report"
complain() {
  echo "suspend_test: $kernel: $*: $(jq -c .recording "$work/report.json")" >&2
  exit 1
}
# The time of the guest's clock has seconds only.
jq -e '.recording | (.suspends | tonumber) == 1 and .suspended_s > 1 and .suspended_s < 8' "$work/report.json" >/dev/null ||
  complain "the sleep was not noticed"
grep -q 'suspended *the machine slept once' "$work/report" || complain "the report does not tell the sleep"
slept_s=$(jq .recording.suspended_s "$work/report.json")
seconds=$(jq .recording.seconds "$work/report.json")
echo "suspend_test: $kernel: slept $slept_s s within $seconds s of time awake"
"$gordian" dump --json --kind switch "$session" >"$work/switches"
jq -se 'length > 20' "$work/switches" >/dev/null || complain "hardly an event"
"$gordian" dump --summary "$session" | grep -q 'machine_suspends' || complain "the sleep was not counted"
