# SPDX-License-Identifier: Apache-2.0
# Tomcat with three threads for requests (maxThreads); a page asks a catalogue service that answers after 6 ms.
# shellcheck shell=bash
case_title() { echo "Tomcat: three threads"; }
case_packages() { echo tomcat10 openjdk-17-jdk-headless wrk curl gcc libc6-dev; }
case_fixed() { echo "maxThreads=\"24\""; }
case_vain() { echo "twice as many connections of the load"; }
case_prepare() { build_remote catalogue; }
case_start() {
  local threads=3
  [ "$variant" != fixed ] || threads=24
  rm -rf "$work/base"
  mkdir -p "$work/base/"{conf,logs,temp,work,webapps/ROOT}
  cp "$case_dir/item.jsp" "$work/base/webapps/ROOT/"
  cp /etc/tomcat10/web.xml /etc/tomcat10/logging.properties /etc/tomcat10/catalina.properties "$work/base/conf/"
  cat >"$work/base/conf/server.xml" <<CONFIG
<Server port="-1">
  <Service name="Catalina">
    <Connector port="21772" address="127.0.0.1" protocol="HTTP/1.1" maxThreads="$threads" minSpareThreads="3" maxKeepAliveRequests="-1" />
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" autoDeploy="false" />
    </Engine>
  </Service>
</Server>
CONFIG
  chown -R nobody "$work/base"
  chmod -R a+rX "$work/base"
  serve "$work/catalogue" 21771 6 http
  wait_for_port 21771
  serve env JAVA_HOME="$(dirname "$(dirname "$(readlink -f /usr/bin/javac)")")" CATALINA_HOME=/usr/share/tomcat10 CATALINA_BASE="$work/base" CATALINA_OPTS="-DcataloguePort=21771 -Xmx256m" \
    /usr/share/tomcat10/bin/catalina.sh run
  wait_for_port 21772
  curl -sf -m 60 http://127.0.0.1:21772/item.jsp >/dev/null || fail "no page: $(tail -n 2 "$work/serve.log")"
  wrk -t 1 -c 8 -d 4 http://127.0.0.1:21772/item.jsp >/dev/null # until its code is compiled
}
case_target() { echo "--pid ${served[1]}"; }
case_load() {
  local connections=16
  [ "$variant" != vain ] || connections=32
  wrk -t 1 -c $connections -d "$1" http://127.0.0.1:21772/item.jsp | awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'
}
case_whatif() { echo "--add-thread=http-nio-127.0.=21"; }
case_vain_whatif() { echo "--in-flight=wrk=2"; }
