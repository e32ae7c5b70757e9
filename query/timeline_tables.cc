// SPDX-License-Identifier: Apache-2.0
// Threads, and what let them go on.
#include <algorithm>
#include <array>
#include <optional>

#include "nodes/joined_nodes.h"
#include "query/segment_walk.h"
#include "query/tables.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 10> kEntityNames = {
    "thread", "virtual", "disk", "nic", "timer", "irq", "remote", "link", "unknown", "held_back"};
void TellTextOrNull(const std::string& text, SqlValue& value) {
  text.empty() ? value.Null() : value.StaticText(text);
}

void TellThread(const Analysis& recording, EntityId id, size_t column, SqlValue& value) {
  const Timeline& timeline = recording.timeline();
  const Entity& entity = timeline.entities()[id];
  const bool is_thread = id < timeline.thread_count();
  switch (column) {
    case 0:
      return value.Integer(id);
    case 1:
      return timeline.nodes().empty() ? value.Null()
                                      : value.StaticText(timeline.nodes()[entity.node]);
    case 2:
      return is_thread ? value.Signed(entity.tid) : value.Null();
    case 3:
      return is_thread ? value.Signed(entity.tgid) : value.Null();
    case 4:
      return value.StaticText(entity.name);
    case 5:
      return TellTextOrNull(entity.process_name, value);
    case 6:
      return TellTextOrNull(entity.command, value);
    case 7:
      return TellTextOrNull(entity.container, value);
    case 8:
      return value.StaticText(entity.kernel_thread ? "kernel" : NameIn(kEntityNames, entity.kind));
    case 9: {
      const auto& vertices = recording.merged_graph().vertex_of_entity;
      return id < vertices.size() ? TellEntity(vertices[id], value) : value.Null();
    }
    case 10:
      return value.Integer(SinceStart(timeline, entity.begin_ns));
    case 11:
      return value.Integer(SinceStart(timeline, entity.end_ns));
    case 12:
      return value.Integer(entity.run_ns);
    case 13:
      return value.Integer(entity.runnable_ns);
    case 14:
      return value.Integer(entity.wait_ns);
    case 15:
      return value.Integer(entity.spin_ns);
    case 16:
      return value.Integer(entity.unknown_ns);
    default:
      return is_thread ? TellEntity(timeline.creator(id), value) : value.Null();
  }
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenThreads(QueriedRecording& queried,
                                                     const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  const auto threads = std::make_shared<const std::vector<EntityId>>(
      AskedThreads(limits, recording.timeline().entities().size()));
  return RowsByNumber(
      0, threads->size(),
      [&recording, threads](size_t row, size_t column, SqlValue& value) {
        TellThread(recording, (*threads)[row], column, value);
      },
      [threads](size_t row) { return (*threads)[row]; });
}

// What let a thread go on at a moment.
struct WakeEdge {
  EntityId from = kNobody;
  uint64_t from_ns = 0;
  EntityId to = kNobody;
  uint64_t to_ns = 0;
  std::string_view kind;
  bool is_message = false;
  EntityId link = kNobody;
  bool is_birth = false;
};

std::string_view EdgeKind(WaitCause cause) {
  return cause == WaitCause::kThread ? "wake" : NameIn(kWaitCauseNames, cause);
}

// A thread's birth, then the ends of its waits.
class WakeEdgeRows : public SqlRows {
 public:
  WakeEdgeRows(const Analysis& recording, const RowLimits& limits)
      : recording_(recording),
        timeline_(recording.timeline()),
        limits_(limits),
        walk_(timeline_, limits, {.to = limits.begin.to}, {.from = limits.begin.from}) {}

  bool Next() override {
    while (Advance()) {
      if (limits_.HoldsKind(edge_.kind)) return true;
    }
    return false;
  }

  // A segment may hold one edge at its begin or its end, and a thread one at its birth.
  int64_t Number() const override {
    return edge_.is_birth ? int64_t{thread_} * 2 : walk_.Number() * 2 + 1;
  }
  void Tell(size_t column, SqlValue& value) const override {
    switch (column) {
      case 0:
        return TellEntity(edge_.from, value);
      case 1:
        return value.Integer(SinceStart(timeline_, edge_.from_ns));
      case 2:
        return value.Integer(edge_.to);
      case 3:
        return value.Integer(SinceStart(timeline_, edge_.to_ns));
      case 4:
        return value.StaticText(edge_.kind);
      case 5:
        return value.Integer(edge_.is_message ? 1 : 0);
      default:
        return TellClockBound(value);
    }
  }

 private:
  bool Advance() {
    if (birth_ && TakeBirth()) return true;
    while (is_waiting_ || walk_.Next()) {
      is_waiting_ = false;
      if (walk_.thread() != thread_) {
        thread_ = walk_.thread();
        birth_ = thread_;
        is_waiting_ = true;  // the segment's own turn comes behind the birth
        if (TakeBirth()) return true;
        continue;
      }
      if (TakeWait()) return true;
    }
    return false;
  }
  bool TakeBirth() {
    const EntityId born = *birth_;
    birth_.reset();
    const EntityId creator = timeline_.creator(born);
    if (creator == kNobody) return false;
    const uint64_t at_ns = timeline_.entities()[born].begin_ns;
    edge_ = {.from = creator,
             .from_ns = at_ns,
             .to = born,
             .to_ns = at_ns,
             .kind = "create",
             .is_birth = true};
    return true;
  }
  bool TakeWait() {
    const SegmentCursor& at = walk_.at();
    const ThreadSegment& segment = at.segment();
    if (segment.kind == SegmentKind::kRunnable && segment.waker != kNobody) {
      const uint64_t at_ns = at.start_ns();
      edge_ = {segment.waker, at_ns, thread_, at_ns, "early_wake"};
      return true;
    }
    if (segment.kind != SegmentKind::kWait && segment.kind != SegmentKind::kSpin) return false;
    if (segment.waker == kNobody || segment.open_end) return false;
    if (IsCutBySending()) return false;
    edge_ = {.from = segment.waker,
             .from_ns = at.end_ns(),
             .to = thread_,
             .to_ns = at.end_ns(),
             .kind = EdgeKind(segment.cause)};
    if (segment.cause == WaitCause::kLink) TakeMessage(segment.waker);
    return true;
  }
  // A wait for a message has two segments: until it was sent, and until it came.
  bool IsCutBySending() const {
    SegmentCursor next = walk_.at();
    next.Next();
    return !next.done() && next.segment().kind == SegmentKind::kWait &&
           next.segment().cause == WaitCause::kLink;
  }
  void TakeMessage(EntityId link) {
    const auto flights = timeline_.flights();
    const auto found = std::lower_bound(flights.begin(), flights.end(), edge_,
                                        [](const MessageFlight& flight, const WakeEdge& edge) {
                                          return flight.receiver != edge.to
                                                     ? flight.receiver < edge.to
                                                     : flight.received_ns < edge.to_ns;
                                        });
    edge_.is_message = true;
    edge_.link = link;
    edge_.kind = "message";
    if (found == flights.end() || found->receiver != edge_.to || found->received_ns != edge_.to_ns)
      return;
    edge_.from = found->sender;
    edge_.from_ns = found->sent_ns;
  }
  void TellClockBound(SqlValue& value) const {
    if (recording_.nodes() != nullptr && edge_.is_message) {
      for (const NodeLink& link : recording_.nodes()->links) {
        if (link.entity == edge_.link) return value.Integer(link.bound_ns);
      }
    }
    value.Integer(0);
  }

  const Analysis& recording_;
  const Timeline& timeline_;
  RowLimits limits_;
  SegmentWalk walk_;
  EntityId thread_ = kNobody;
  std::optional<EntityId> birth_;
  bool is_waiting_ = false;
  WakeEdge edge_;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenEdges(QueriedRecording& queried,
                                                   const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  return std::make_unique<WakeEdgeRows>(recording, limits);
}

}  // namespace

SqlTable ThreadTable() {
  return {
      .name = "thread",
      .about = "Threads (lives of them), disks, interfaces, timers and all else that is waited for",
      .example = "SELECT name, tid, wait_ns FROM thread ORDER BY wait_ns DESC LIMIT 10",
      .columns = {{"id", SqlType::kInteger, "the number that all other tables use"},
                  {"node", SqlType::kText, "of a recording of many nodes; else null"},
                  {"tid", SqlType::kInteger, "the kernel's number of the thread"},
                  {"pid", SqlType::kInteger, "… of its process"},
                  {"name", SqlType::kText, "its own name"},
                  {"process", SqlType::kText, "the name of its process"},
                  {"command", SqlType::kText, "the command of its process"},
                  {"container", SqlType::kText, "the container it ran in"},
                  {"kind", SqlType::kText,
                   "thread, kernel, disk, nic, timer, irq, remote, link, unknown, held_back"},
                  {"vertex", SqlType::kInteger, "vertex.id: similar threads are drawn as one"},
                  {"begin_ns", SqlType::kInteger, "when it began, or the recording did"},
                  {"end_ns", SqlType::kInteger, "when it ended, or the recording did"},
                  {"run_ns", SqlType::kInteger, "time on a CPU"},
                  {"runnable_ns", SqlType::kInteger, "time waiting for a CPU"},
                  {"wait_ns", SqlType::kInteger, "time waiting for anything else"},
                  {"spin_ns", SqlType::kInteger, "time on a CPU, waiting for a lock"},
                  {"unknown_ns", SqlType::kInteger, "time of which the recording does not tell"},
                  {"creator", SqlType::kInteger,
                   "thread.id of who created it, if that is recorded"}},
      .key = 0,
      .order = {0},
      .open = OpenThreads};
}

SqlTable WakeEdgeTable() {
  return {.name = "edge",
          .about = "What let a thread go on: wakes, messages, disks, timers, births",
          .example = "SELECT kind, count(*) FROM edge GROUP BY kind ORDER BY 2 DESC",
          .columns =
              {{"from_thread", SqlType::kInteger, "thread.id"},
               {"from_ns", SqlType::kInteger, "when; of a message: when it was sent"},
               {"to_thread", SqlType::kInteger, "thread.id of who went on"},
               {"to_ns", SqlType::kInteger, "when it could go on"},
               {"kind", SqlType::kText,
                "wake, early_wake (it had not waited yet), message, create, disk, nic, timer, irq, "
                "spin, unknown"},
               {"network_hop", SqlType::kInteger, "1 between two nodes, else 0"},
               {"clock_bound_ns", SqlType::kInteger, "how far the clocks of both ends may differ"}},
          .key = 2,
          .kind = 4,
          .begin = 3,
          .order = {2, 3},
          .open = OpenEdges};
}

}  // namespace gordian
