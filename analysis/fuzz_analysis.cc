// libFuzzer: with any contents of a session's files, analyzing it neither crashes nor runs for
// ever, the times of every thread add up, and the report refers only to its own entries. Run:
// scripts/fuzz
//
// Each byte of an input tells one thing: the thread of a switch, wake, request …, the CPU, or how
// much later. So nearly every input is a recording, if an absurd one; the reader's own fuzzer
// (trace/fuzz_session_reader.cc) breaks the bytes of files. Its last byte chooses a block to leave
// out.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "output/text_report.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr uint64_t kStartNs = 1'000;
constexpr uint16_t kCpus = 3;
constexpr uint8_t kTids = 12;
constexpr size_t kBytesPerEvent = 5;
constexpr size_t kEventsPerBlock = 16;

void Require(bool is_true) {
  if (!is_true) std::abort();
}

TraceEvent EventOf(const uint8_t* bytes, uint64_t time_ns, EventBlock& block) {
  const int32_t first = bytes[2] % kTids;
  const int32_t second = bytes[3] % kTids;
  const uint8_t detail = bytes[4];
  TraceEvent event{};
  event.time_ns = time_ns;
  event.cpu = block.cpu;
  switch (bytes[0] / kCpus % 10) {
    case 0:
    case 1:
    case 2:
      event.kind = EventKind::kSwitch;
      event.sched_switch = SwitchEvent{.prev_tid = first,
                                       .next_tid = second,
                                       .prev_state = static_cast<uint32_t>(detail % 8),
                                       .preempted = detail % 16 == 9};
      break;
    case 3:
    case 4:
    case 5:
      event.kind = EventKind::kWake;
      event.wake = WakeEvent{.wakee_tid = first,
                             .waker_tid = second,
                             .context = static_cast<WakeContext>(detail % 4),
                             .vector = static_cast<uint16_t>(detail % 10)};
      break;
    case 6:
    case 7:
      event.kind = detail % 2 == 0 ? EventKind::kBlockIssue : EventKind::kBlockComplete;
      event.block = BlockEvent{.sector = static_cast<uint64_t>(second),
                               .service_ns = detail > 128 ? detail : 0u,
                               .device = 8,
                               .bytes = 512u * detail,
                               .tid = first};
      break;
    case 8:
      event.kind = EventKind::kProbe;
      event.probe = ProbeEvent{.tid = first,
                               .kind = static_cast<ProbeKind>(1 + detail % 6),
                               .value = static_cast<uint64_t>(second)};
      break;
    default:
      if (detail % 4 == 0) {
        event.kind = EventKind::kLoss;
        event.loss = LossEvent{.duration_ns = detail, .count = 1, .kind = EventKind::kSwitch};
        break;
      }
      event.kind = EventKind::kTask;
      event.task.index = static_cast<uint32_t>(block.tasks.size());
      block.tasks.push_back(TaskRecord{
          .change = static_cast<TaskChange>(detail % 5),
          .tid = first,
          .tgid = first < 6 ? 1 : first,
          .parent_tid = second,
          .state = detail % 2u,
          .switches = detail % 3 == 0 ? std::nullopt : std::optional(uint64_t{detail} % 4),
          .start_time_ns = time_ns,
          .comm = std::string(1, static_cast<char>(detail))});
  }
  return event;
}

// The block with this number is left out, as if its file had a hole.
struct Hole {
  size_t due = 0;
  bool Skips() { return due-- == 0; }
};

// Made of the first bytes in every third input; the other inputs have no such part.
void AddPauses(const uint8_t* data, size_t size, pb::Session& session) {
  if (data[0] % 3 != 0) return;
  uint64_t time_ns = kStartNs;
  for (size_t at = 0; at + 1 < std::min<size_t>(size, 8); at += 2) {
    pb::Pause& pause = *session.add_pauses();
    pause.set_from_ns(time_ns += uint64_t{8} * data[at]);
    pause.set_to_ns(time_ns += uint64_t{4} * data[at + 1]);
  }
}

std::unique_ptr<SessionReader> Record(const uint8_t* data, size_t size,
                                      const std::string& directory) {
  std::vector<EventBlock> blocks(kCpus);
  for (uint16_t cpu = 0; cpu < kCpus; ++cpu) blocks[cpu].cpu = cpu;
  auto writer = SessionWriter::Create(directory, {});
  Require(writer.ok());
  Hole hole{data[size - 1]};
  const auto flush = [&](EventBlock& block) {
    if (block.events.empty()) return;
    const uint16_t cpu = block.cpu;
    if (!hole.Skips()) Require((*writer)->AppendEvents(block).ok());
    block.Clear();
    block.cpu = cpu;
  };
  uint64_t time_ns = kStartNs;
  EventBlock told;
  told.cpu = kNoCpu;
  for (size_t at = 0; at + kBytesPerEvent <= size; at += kBytesPerEvent) {
    time_ns += data[at + 1];
    EventBlock& block = blocks[data[at] % kCpus];
    block.events.push_back(EventOf(data + at, time_ns, block));
    if (block.events.back().kind == EventKind::kTask)
      told.AddTask(time_ns, block.tasks[block.events.back().task.index]);
    if (block.events.size() == kEventsPerBlock) flush(block);
  }
  Require((*writer)->AppendTasks(told).ok());
  for (EventBlock& block : blocks) flush(block);
  pb::Session session;
  session.mutable_host()->set_cpus(kCpus);
  session.add_targets()->set_pid(1 + data[0] % kTids);
  session.set_start_time_ns(kStartNs);
  session.set_end_time_ns(time_ns);
  AddPauses(data, size, session);
  Require((*writer)->WriteSession(session).ok());
  auto reader = SessionReader::Open(directory);
  Require(reader.ok());
  return *std::move(reader);
}

void RequireLedger(const WaitForGraph& graph) {
  for (const Entity& entity : graph.entities) {
    if (entity.kind != EntityKind::kThread && entity.kind != EntityKind::kVirtual) continue;
    Require(entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns +
                entity.unknown_ns ==
            entity.end_ns - entity.begin_ns);
  }
  for (const Edge& edge : graph.edges) {
    Require(edge.from < graph.entities.size() && edge.to < graph.entities.size());
    Require(edge.weight_ns >= edge.own_ns && edge.own_ns >= edge.longest_ns);
  }
}

void RequireWhole(const pb::Report& report) {
  const auto is_vertex = [&](uint32_t id) {
    return id < static_cast<uint32_t>(report.vertices_size());
  };
  for (const pb::Finding& finding : report.findings()) {
    Require(finding.members_size() > 0 && !finding.title().empty());
    Require(finding.share() >= 0 && finding.share() <= 1);
    Require(finding.confidence() >= 0 && finding.confidence() <= 1);
    Require(finding.upper_bound_gain() >= 1);
    for (const pb::Prediction& prediction : finding.predictions()) {
      Require(prediction.low() >= 0 && prediction.low() <= prediction.high());
      Require(prediction.high() <= finding.upper_bound_gain());
      Require(prediction.self_check() >= 0 && prediction.trust() >= 0 && prediction.trust() <= 1);
    }
    for (const uint32_t id : finding.members()) Require(is_vertex(id));
    if (finding.has_edge())
      Require(is_vertex(finding.edge().from()) && is_vertex(finding.edge().to()));
  }
  Require(!TextReport(report, {}).empty());
}

void Analyze(const uint8_t* data, size_t size) {
  const TemporaryDirectory directory;
  const std::unique_ptr<SessionReader> session = Record(data, size, directory / "session");
  for (const bool merge : {true, false}) {
    auto timeline = Timeline::Load(*session, {.threads = 1, .events_per_window = 50}, {});
    if (!timeline.ok()) return;  // no events
    const bool has_length = timeline->start_ns() < timeline->end_ns();
    // Of some the whole is replayed, of most only the middle.
    const auto analysis = Analysis::Run(
        RecordingOf(*std::move(timeline)),
        {.graph = {.no_merge = !merge},
         .finding = {.explain = true},
         .predictions = FixOptions{.command = "whatif",
                                   .most_replayed_steps = uint64_t{16} << data[size - 1] % 16},
         .threads = 1});
    Require(analysis.ok() == has_length);
    if (!analysis.ok()) return;
    RequireLedger(analysis->wait_for_graph());
    RequireWhole(analysis->report());
  }
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) gordian::Analyze(data, size);
  return 0;
}
