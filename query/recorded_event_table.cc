// SPDX-License-Identifier: Apache-2.0
// The events as they stand in the recording's files, block by block.
#include <limits>
#include <utility>

#include "query/tables.h"
#include "trace/event_schema.h"

namespace gordian {
namespace {

struct EventThreads {
  int32_t tid = 0;    // 0: none
  int32_t other = 0;  // likewise
};

EventThreads ThreadsOf(const TraceEvent& event, const EventBlock& block) {
  switch (event.kind) {
    case EventKind::kSwitch:
      return {event.sched_switch.prev_tid, event.sched_switch.next_tid};
    case EventKind::kWake:
      return {event.wake.wakee_tid, event.wake.waker_tid};
    case EventKind::kBlockIssue:
    case EventKind::kBlockComplete:
      return {event.block.tid, 0};
    case EventKind::kNetSend:
    case EventKind::kNetReceive:
      return {event.net.tid, 0};
    case EventKind::kTask: {
      const TaskRecord& task = block.tasks[event.task.index];
      return {task.tid, task.parent_tid};
    }
    case EventKind::kProbe:
      return {event.probe.tid, 0};
    case EventKind::kStackSample:
      return {event.stack_sample.tid, 0};
    case EventKind::kWork:
      return {event.work.tid, 0};
    case EventKind::kLocalMessage:
      return {event.local_message.tid, 0};
    default:
      return {};
  }
}

// One node's streams after the other. Only blocks that reach into the time asked for are read.
class RecordedEventRows : public SqlRows {
 public:
  RecordedEventRows(QueriedRecording& queried, const RowLimits& limits)
      : queried_(queried), limits_(limits) {
    for (uint32_t node = 0; node < queried.sessions().size(); ++node) {
      const SessionReader* session = queried.sessions()[node].get();
      if (session == nullptr) continue;
      if (session->tasks() != nullptr) streams_.push_back({node, session->tasks()});
      for (const auto& stream : session->cpus()) streams_.push_back({node, stream.get()});
    }
  }

  bool Next() override {
    while (true) {
      while (next_event_ < block_.events.size()) {
        at_ = next_event_++;
        if (limits_.HoldsKind(EventKindName(block_.events[at_].kind))) return true;
      }
      if (!NextBlock()) return false;
    }
  }

  void Tell(size_t column, SqlValue& value) const override {
    const TraceEvent& event = block_.events[at_];
    const Timeline& timeline = queried_.timeline();
    switch (column) {
      case 0:
        return value.Integer(SinceStart(timeline, TimeOfEvent(event.time_ns)));
      case 1:
        return timeline.nodes().empty() ? value.Null()
                                        : value.StaticText(timeline.nodes()[stream().node]);
      case 2:
        return event.cpu == kNoCpu ? value.Null() : value.Integer(event.cpu);
      case 3:
        return value.StaticText(EventKindName(event.kind));
      case 4:
        return TellThread(ThreadsOf(event, block_).tid, value);
      case 5:
        return TellThread(ThreadsOf(event, block_).other, value);
      default: {
        const std::string text = FieldsText(event, block_);
        return value.Text(std::string_view(text).substr(text.empty() ? 0 : 1));
      }
    }
  }
  int64_t Number() const override { return static_cast<int64_t>(first_number_ + at_); }

 private:
  struct Stream {
    uint32_t node = 0;
    const EventStream* blocks = nullptr;
  };
  const Stream& stream() const { return streams_[stream_]; }

  // False behind the last one. Blocks that cannot be read are passed over: reading the timeline has
  // counted them.
  bool NextBlock() {
    for (; stream_ < streams_.size(); ++stream_, next_block_ = 0) {
      const auto& blocks = stream().blocks->blocks();
      while (next_block_ < blocks.size()) {
        const BlockInfo& info = blocks[next_block_];
        first_number_ = numbers_;
        numbers_ += info.events;
        const bool is_wanted = MayHold(info) && stream().blocks->Read(next_block_, block_).ok();
        ++next_block_;
        next_event_ = 0;
        if (is_wanted) return true;
      }
    }
    block_.Clear();
    return false;
  }
  bool MayHold(const BlockInfo& info) const {
    const Timeline& timeline = queried_.timeline();
    return SinceStart(timeline, TimeOfEvent(info.first_time_ns)) <= limits_.begin.to &&
           SinceStart(timeline, TimeOfEvent(info.last_time_ns)) >= limits_.begin.from;
  }
  // In the timeline's time.
  uint64_t TimeOfEvent(uint64_t clock_ns) const {
    const JoinedNodes* nodes = queried_.analysis().nodes();
    if (nodes != nullptr) clock_ns = nodes->clocks[stream().node].ToReference(clock_ns);
    return queried_.timeline().pauses().RecordedTime(clock_ns);
  }
  void TellThread(int32_t tid, SqlValue& value) const {
    if (tid == 0) return value.Null();
    const uint64_t time_ns = TimeOfEvent(block_.events[at_].time_ns);
    TellEntity(queried_.FindThread(stream().node, tid, time_ns), value);
  }

  QueriedRecording& queried_;
  RowLimits limits_;
  std::vector<Stream> streams_;
  size_t stream_ = 0;
  size_t next_block_ = 0;
  EventBlock block_;
  size_t next_event_ = 0;
  size_t at_ = 0;
  uint64_t numbers_ = 0;  // of events in the blocks so far
  uint64_t first_number_ = 0;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenRecordedEvents(QueriedRecording& queried,
                                                            const RowLimits& limits) {
  return std::make_unique<RecordedEventRows>(queried, limits);
}

}  // namespace

SqlTable RecordedEventTable() {
  return {
      .name = "event",
      .about =
          "The events as they were recorded, read from the recording's files again; in no "
          "order",
      .example = "SELECT kind, count(*) FROM event GROUP BY kind",
      .columns = {{"ns", SqlType::kInteger, "when"},
                  {"node", SqlType::kText, "of a recording of many nodes; else null"},
                  {"cpu", SqlType::kInteger, "where; null of words of programs"},
                  {"kind", SqlType::kText, "switch, wake, irq, block_issue, …, as in gordian dump"},
                  {"thread", SqlType::kInteger,
                   "thread.id of who left its CPU, was woken, asked, spoke, …"},
                  {"other", SqlType::kInteger,
                   "thread.id of who came to that CPU, of the waker, of the parent"},
                  {"text", SqlType::kText, "all its fields but zeros"}},
      .kind = 3,
      .begin = 0,
      .open = OpenRecordedEvents};
}

}  // namespace gordian
