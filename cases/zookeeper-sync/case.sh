# SPDX-License-Identifier: Apache-2.0
# A client sets a value, four requests in flight; ZooKeeper syncs its log before it answers, for all that have come meanwhile.
# shellcheck shell=bash
case_title() { echo "ZooKeeper: the log is synced, group by group"; }
case_packages() { echo zookeeper openjdk-17-jdk-headless; }
case_fixed() { echo "forceSync=no"; }
zookeeper_classes=/usr/share/java/zookeeper.jar
case_prepare() {
  mkdir "$work/classes"
  javac -cp "$zookeeper_classes" -d "$work/classes" "$case_dir/Load.java"
  install -d -o nobody -g nogroup "$work/data"
  printf '%s\n' 'tickTime=2000' "dataDir=$work/data" 'clientPort=21304' 'clientPortAddress=127.0.0.1' 'admin.enableServer=false' >"$work/zoo.cfg"
}
case_start() {
  local force_sync=yes
  [ "$variant" = plain ] || force_sync=no
  serve java -Xmx512m -Dzookeeper.forceSync=$force_sync -cp "$zookeeper_classes" \
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$work/zoo.cfg"
  wait_for_port 21304
}
case_load() { java -Xmx256m -cp "$zookeeper_classes:$work/classes" Load 127.0.0.1:21304 "$1" 4 2>/dev/null; }
case_whatif() { echo "--skip=@syncer->disk $(disk_of "$work")"; }
