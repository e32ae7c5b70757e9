# SPDX-License-Identifier: Apache-2.0
# The graph-processing job of examples/bsp, with one lock around all message delivery.
# shellcheck shell=bash
case_title() { echo "BSP job: one lock around all message delivery"; }
case_fixed() { echo "a lock for each worker's messages"; }
case_job() {
  local lock=--lock
  [ "$variant" = plain ] || lock=
  # shellcheck disable=SC2086  # no lock: no argument
  "$root/build/release/bin/bsp" --supersteps 10 --workers 2 --message-work 3072 --log "$work/bsp.log" $lock >/dev/null
}
case_whatif() { echo "--lock=@attack"; }
