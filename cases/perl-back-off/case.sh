# SPDX-License-Identifier: Apache-2.0
# Eight Perl processes book at a Ruby service with two seats, which says "busy" if both are taken, and pay at another one, which takes
# 8 ms. Who hears "busy" tries again 50 ms later, then 100, 200, 400 ms.
# shellcheck shell=bash
case_title() { echo "Perl: clients that back off from a busy service"; }
case_packages() { echo perl ruby gcc libc6-dev; }
case_fixed() { echo "the service lets them wait in line"; }
case_vain() { echo "a checksum of the clients in a tenth of the time"; }
case_prepare() { build_remote payments; }
case_start() {
  local how=refuse
  [ "$variant" != fixed ] || how=queue
  serve ruby "$case_dir/seats.rb" 21910 2 $how
  wait_for_port 21910
  serve "$work/payments" 21911 8 line
  wait_for_port 21911
}
case_target() { echo "--comm book.pl"; }
case_load() {
  local rounds=300
  [ "$variant" != vain ] || rounds=30
  as_nobody "$case_dir/book.pl" 21910 21911 8 $rounds "$1"
}
case_whatif() { echo "--timer=book.pl=0.1"; }
case_vain_whatif() { echo "--function=Perl_pp_multiply=0.1"; }
