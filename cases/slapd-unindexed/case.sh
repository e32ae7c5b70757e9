# SPDX-License-Identifier: Apache-2.0
# A directory of 40,000 people is searched by an attribute that has no index: slapd reads all entries each time.
# shellcheck shell=bash
case_title() { echo "slapd: a search without an index"; }
case_packages() { echo slapd ldap-utils python3-ldap; }
case_fixed() { echo "an index for employeeNumber"; }
case_vain() { echo "32 threads instead of 16"; }
case_prepare() {
  chmod 777 "$work"
  awk 'BEGIN {
    print "dn: dc=example\nobjectClass: dcObject\nobjectClass: organization\no: example\ndc: example\n"
    for (i = 1; i <= 40000; i++)
      printf "dn: uid=u%d,dc=example\nobjectClass: inetOrgPerson\nuid: u%d\ncn: User %d\nsn: %d\nemployeeNumber: %d\nmail: u%d@example\n\n", i, i, i, i, i, i
  }' >"$work/people.ldif"
  build plain objectClass,uid
  build indexed objectClass,uid,employeeNumber
}
configure() { # FOLDER INDEX THREADS
  printf '%s\n' "include /etc/ldap/schema/core.schema" "include /etc/ldap/schema/cosine.schema" \
    "include /etc/ldap/schema/inetorgperson.schema" "modulepath /usr/lib/ldap" "moduleload back_mdb" "pidfile $work/slapd.pid" \
    "threads $3" "database mdb" "suffix dc=example" "maxsize 1073741824" "directory $work/$1" "index $2 eq" >"$work/slapd.conf"
}
build() { # FOLDER INDEX
  as_nobody mkdir "$work/$1"
  configure "$1" "$2" 16
  as_nobody slapadd -q -f "$work/slapd.conf" -l "$work/people.ldif"
}
case_start() {
  local folder=plain index=objectClass,uid threads=16
  if [ "$variant" = fixed ]; then
    folder=indexed
    index=objectClass,uid,employeeNumber
  fi
  [ "$variant" != vain ] || threads=32
  configure $folder $index $threads
  serve slapd -d 0 -f "$work/slapd.conf" -h "ldapi://${work//\//%2F}%2Fldapi"
  until [ -S "$work/ldapi" ]; do sleep 0.1; done
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { as_nobody "$case_dir/search.py" "ldapi://${work//\//%2F}%2Fldapi" 8 "$1"; }
case_whatif() { echo "--function=test_filter=0"; }
case_vain_whatif() { echo "--add-thread=slapd=16"; }
