# SPDX-License-Identifier: Apache-2.0
# Six threads of a Ruby process ask a stock service, which answers after 2 ms. A seventh computes a report: it keeps the interpreter's
# lock for 100 ms at a time, and each answer waits for that.
# shellcheck shell=bash
case_title() { echo "Ruby: a report beside the orders"; }
case_packages() { echo ruby gcc libc6-dev; }
case_fixed() { echo "the report in a process of its own"; }
case_vain() { echo "a stock that answers in half of the time"; }
case_prepare() { build_remote stock; }
case_start() {
  local ms=2
  [ "$variant" != vain ] || ms=1
  serve "$work/stock" 21847 $ms line
  wait_for_port 21847
}
case_target() { echo "--comm ruby"; }
case_load() {
  local how=thread
  [ "$variant" != fixed ] || how=process
  as_nobody ruby "$case_dir/orders.rb" 21847 $how "$1"
}
case_whatif() { echo "--lock=order-*->report"; }
case_vain_whatif() { echo "--timer=stock=0.5"; }
