#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest kernel and sets its time of day hours forth and back, ten times a second, while tests record and follow
# what they record: watermarks never go back and are never wrong, and windows are those of the finished recording.
# usage: clock_steps_test.sh KERNEL GUEST_SCRIPT PUPPET GORDIAN WATERMARK_TEST FOLLOWED_TEST
set -euo pipefail
kernel=$1 guest=$2 puppet=$3 gordian=$4 watermark=$5 followed=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/step-clock" <<'END'
now=$(date +%s)
(
  steps=0
  trap 'echo "$steps steps" >/tmp/steps; exit' TERM
  while :; do
    date -s "@$((now + 20000))" >/dev/null && usleep 100000 && date -s "@$((now - 20000))" >/dev/null && usleep 100000 || exit 1
    steps=$((steps + 2))
  done
) &
stepper=$!
watermark_recording_test --gtest_filter=WatermarkOfARecording.HoldsUnderLoad || exit 1
followed_timeline_test --gtest_filter='FollowedTimeline.IsThatOfTheFinishedRecording:FollowedTimeline.IsThatOfAKilledRecorder' || exit 1
kill $stepper || { echo 'the clock cannot be set'; exit 1; }
wait $stepper
date -s "@$now" >/dev/null
cat /tmp/steps
END

# The tests know the programs that they run by their paths. Debug information would only fill the guest's memory.
adds=()
for program in "$puppet" "$gordian"; do
  strip -g -o "$work/$(basename "$program")" "$program"
  adds+=(--add "$work/$(basename "$program")=$program")
done
for program in "$watermark" "$followed"; do
  strip -g -o "$work/$(basename "$program")" "$program"
  adds+=(--add "$work/$(basename "$program")")
done
"$guest" "$kernel" --timeout 500 --memory 1024 --out "$work/out" "${adds[@]}" --add "$work/step-clock" -- sh /bin/step-clock
