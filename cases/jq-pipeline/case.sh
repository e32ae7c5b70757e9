# SPDX-License-Identifier: Apache-2.0
# zstd | jq | sort | uniq: which paths were asked for how often? jq is the slow stage.
# shellcheck shell=bash
case_title() { echo "zstd | jq | sort: one stage computes"; }
case_packages() { echo zstd jq python3 coreutils; }
case_fixed() { echo "two jq, each with half of the events"; }
case_vain() { echo "events that are not compressed"; }
case_prepare() {
  python3 "$case_dir/events.py" 260000 >"$work/events"
  split -n l/2 -d "$work/events" "$work/events."
  zstd -q "$work/events" "$work/events.00" "$work/events.01"
}
case_job() {
  case $variant in
    plain) zstd -dcq "$work/events.zst" | jq -r .request.path | sort | uniq -c >"$work/paths" ;;
    vain) jq -r .request.path <"$work/events" | sort | uniq -c >"$work/paths" ;;
    fixed)
      zstd -dcq "$work/events.00.zst" | jq -r .request.path >"$work/paths.00" &
      zstd -dcq "$work/events.01.zst" | jq -r .request.path >"$work/paths.01"
      wait
      sort "$work/paths.00" "$work/paths.01" | uniq -c >"$work/paths"
      ;;
  esac
}
case_whatif() { echo "--add-thread=jq=1"; }
case_vain_whatif() { echo "--run=zstd=0.1"; }
