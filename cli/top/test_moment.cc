// SPDX-License-Identifier: Apache-2.0
#include "cli/top/test_moment.h"

#include <google/protobuf/text_format.h>

#include <cstdlib>

namespace gordian {
namespace {

constexpr char kFrame[] = R"pb(
  at: "2026-11-24T06:39:21Z"
  from_s: 50
  to_s: 60
  verdict: "The writers hold each other up."
  findings {
    kind: "knot"
    title: "The threads of the group of writers hold each other up: each waits 34 % of the time for another and 10 % for the disk vda."
    share: 0.34
    upper_bound_gain: 1.52
    sure: "sure"
    why: "The writers wait 34 % of the time for others of their kind (17,298 waits, the longest 4.5 ms)."
    why: "The disk vda is idle 53 % of the time, until they give it work."
    advice: "If one thread writes or syncs for all (a shared log, group commit) or holds a lock meanwhile: let the others go on, sync less often, or use a faster disk."
  }
  findings {
    kind: "starvation"
    title: "The writers are ready to run but get no CPU for 28 % of the time."
    share: 0.28
    sure: "likely"
  }
  held_s: 12
  resources { what: "cpus" use: 1.54 capacity: 2 }
  resources {
    what: "disk"
    name: "vda"
    use: 0.47
    capacity: 1
    bytes_per_s: 58033150
    operations_per_s: 13807
  }
  resources { what: "net" name: "eth0" use: 120000 bytes_per_s: 120000 }
  quality { lag_s: 1.04 unknown_share: 0.02 open_waits: 7 }
  nodes { name: "vm" state: "follows" }
  requests {
    finished_per_s: 4031
    finished: 40200
    median_s: 0.0042
    p99_s: 0.019
    longest_s: 0.21
    open: 4
  }
  target: "server: 5 threads, 42 % of all recorded CPU time"
  session: "run"
)pb";

constexpr char kReport[] = R"pb(
  vertices {
    id: 0
    kind: "group"
    members: [ 0, 1, 2, 3 ]
    target: true
    in_scope: true
    run_s: 6.4
    runnable_s: 11.4
    wait_s: 22.2
    process: "server"
    running_stacks {
      frames: [ 0, 1 ]
      share: 0.8
      samples: 90
    }
  }
  vertices {
    id: 1
    kind: "thread"
    tid: 105
    members: [ 4 ]
    target: true
    in_scope: true
    run_s: 1
    runnable_s: 0.5
    wait_s: 8.5
    process: "server"
  }
  vertices { id: 2 kind: "disk" label: "vda" name: "vda" busy_s: 4.7 }
  edges {
    from: 0
    to: 0
    weight_s: 22
    own_s: 13.9
    count: 17298
    longest_s: 0.0045
    reasons {
      reason: "futex"
      share: 1
      objects { text: "futex 0x7f12a0" share: 0.4 }
    }
    waiter_stacks {
      frames: [ 1, 0 ]
      share: 0.5
      samples: 50
    }
  }
  edges { from: 0 to: 2 weight_s: 19 own_s: 4.2 count: 13931 longest_s: 0.0001118 }
  edges { from: 1 to: 0 weight_s: 6.2 own_s: 4.3 count: 11623 longest_s: 0.0042 }
  findings {
    kind: "knot"
    title: "The writers hold each other up."
    members: [ 0, 2 ]
    sure: "sure"
  }
  code { label: "FileLog::Commit (log.cc:88)" }
  code { label: "Writer::Run (writer.cc:12)" }
)pb";

template <typename Message>
void Parse(const char* text, Message& message) {
  if (!google::protobuf::TextFormat::ParseFromString(text, &message)) std::abort();
}

void AddVertex(const pb::ReportVertex& vertex, pb::LiveFrame& frame) {
  pb::LiveVertex& told = *frame.add_vertices();
  told.set_label(vertex.label());
  told.set_kind(vertex.kind());
  told.set_target(vertex.target());
  told.set_threads(static_cast<uint32_t>(vertex.members_size()));
  told.set_run_share(vertex.run_s() / 10);
  told.set_runnable_share(vertex.runnable_s() / 10);
  told.set_wait_share(vertex.wait_s() / 10);
}

}  // namespace

LiveMoment MadeMoment(const std::string& writers, const std::string& flushers) {
  LiveMoment moment;
  Parse(kFrame, moment.frame);
  Parse(kReport, moment.report);
  moment.report.mutable_vertices(0)->set_label(writers);
  moment.report.mutable_vertices(1)->set_label(flushers);
  for (uint32_t i = 0; i < 5; ++i) {
    pb::ReportThread& thread = *moment.report.add_threads();
    thread.set_name(i < 4 ? "writer" : "flusher");
    thread.set_tid(static_cast<int32_t>(101 + i));
    thread.set_vertex(i < 4 ? 0 : 1);
    thread.set_run_s(i < 4 ? 1.6 : 1);
    thread.set_runnable_s(i < 4 ? 2.85 : 0.5);
    thread.set_wait_s(i < 4 ? 5.55 : 8.5);
  }
  for (const pb::ReportEdge& edge : moment.report.edges()) {
    pb::LiveWait& wait = *moment.frame.add_waits();
    wait.set_from(moment.report.vertices(static_cast<int>(edge.from())).label());
    wait.set_to(moment.report.vertices(static_cast<int>(edge.to())).label());
    wait.set_weight_s(edge.weight_s());
    wait.set_own_s(edge.own_s());
    wait.set_count(edge.count());
    wait.set_longest_s(edge.longest_s());
  }
  AddVertex(moment.report.vertices(0), moment.frame);
  AddVertex(moment.report.vertices(1), moment.frame);
  for (pb::LiveFinding& finding : *moment.frame.mutable_findings()) finding.add_members(writers);
  for (int second = 1; second <= 60; ++second) {
    if (second == 30) continue;  // a frame that was missed
    pb::LiveSecond& told = *moment.frame.add_strip();
    told.set_to_s(second);
    if (second < 10) continue;
    told.set_kind(second < 49 ? "starvation" : "knot");
    told.set_limit(writers + (second < 49 ? "" : ", vda"));
    told.set_share(second / 120.0);
  }
  return moment;
}

}  // namespace gordian
