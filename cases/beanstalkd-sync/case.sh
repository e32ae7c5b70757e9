# SPDX-License-Identifier: Apache-2.0
# beanstalkd syncs its log for each job that is put or deleted (-f 0). Eight threads put a job, reserve one and delete it.
# shellcheck shell=bash
case_title() { echo "beanstalkd: a sync for each job"; }
case_packages() { echo beanstalkd python3; }
case_fixed() { echo "a sync each 50 ms"; }
case_vain() { echo "sixteen threads of the load instead of eight"; }
case_start() {
  local sync_ms=0
  [ "$variant" != fixed ] || sync_ms=50
  mkdir -p "$work/log"
  rm -f "$work/log"/*
  chown nobody "$work/log"
  serve beanstalkd -l 127.0.0.1 -p 21815 -b "$work/log" -f $sync_ms
  wait_for_port 21815
}
case_target() { echo "--pid ${served[0]}"; }
case_load() {
  local threads=8
  [ "$variant" != vain ] || threads=16
  as_nobody "$case_dir/jobs.py" 21815 $threads "$1"
}
case_whatif() { echo "--skip=beanstalkd->disk $(disk_of "$work")"; }
case_vain_whatif() { echo "--clients=jobs.py=2"; }
