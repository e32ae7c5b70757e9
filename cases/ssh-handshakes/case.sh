# SPDX-License-Identifier: Apache-2.0
# A deployment runs twelve commands on a host, over ssh, each with a connection of its own: a key exchange and a login each time.
# shellcheck shell=bash
case_title() { echo "ssh: a connection for each command"; }
case_packages() { echo openssh-server openssh-client; }
case_fixed() { echo "one connection for all commands (ControlMaster)"; }
case_vain() { echo "another cipher and no compression"; }
case_units=12
case_prepare() {
  ssh-keygen -q -t rsa -b 3072 -N '' -f "$work/host_key"
  ssh-keygen -q -t rsa -b 3072 -N '' -f "$work/key"
  cp "$work/key.pub" "$work/authorized_keys"
  chown -R root "$work"
  mkdir -p /run/sshd
}
case_start() {
  rm -f "$work/sshd.pid"
  /usr/sbin/sshd -f /dev/null -h "$work/host_key" -o ListenAddress=127.0.0.1 -o Port=21828 -o PidFile="$work/sshd.pid" \
    -o AuthorizedKeysFile="$work/authorized_keys" -o StrictModes=no -o UsePAM=no -o PermitRootLogin=yes -E "$work/sshd.log"
  until [ -s "$work/sshd.pid" ]; do sleep 0.05; done
}
case_stop() {
  [ ! -s "$work/sshd.pid" ] || kill "$(cat "$work/sshd.pid")"
}
case_job() {
  local number options=(-F /dev/null -i "$work/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile="$work/known" -o LogLevel=ERROR)
  [ "$variant" != fixed ] || options+=(-o ControlMaster=auto -o ControlPath="$work/master" -o ControlPersist=1)
  [ "$variant" != vain ] || options+=(-c aes128-gcm@openssh.com -o Compression=no)
  for number in 1 2 3 4 5 6 7 8 9 10 11 12; do
    ssh "${options[@]}" -p 21828 root@127.0.0.1 "echo $number; sha256sum /usr/bin/ssh" >>"$work/out"
  done
}
case_whatif() { echo "--skip=ssh->sshd"; }
