# SPDX-License-Identifier: Apache-2.0
# A client sends a request in two small pieces: the kernel keeps the second back until the first is acknowledged, and the other side
# acknowledges late because it has nothing to say yet.
# shellcheck shell=bash
case_title() { echo "A request in two small writes"; }
case_packages() { echo python3; }
case_fixed() { echo "TCP_NODELAY"; }
case_vain() { echo "a server that takes half of the CPU time"; }
case_start() {
  serve python3 "$case_dir/rpc.py" serve 21461 "$variant"
  wait_for_port 21461
}
case_target() { echo "--comm caller"; }
case_load() { as_nobody python3 "$case_dir/rpc.py" call 21461 "$variant" "$1"; }
case_whatif() { echo "--async=python3->held-back data of caller"; }
case_vain_whatif() { echo "--run=python3=0.5"; }
