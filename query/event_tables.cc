// SPDX-License-Identifier: Apache-2.0
// Requests, packets and stacks: rows of the analyzer's columns as they are.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "query/tables.h"
#include "trace/event_words.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

// Where the rows within the bounds lie, of rows in order of time.
template <typename Row>
std::pair<size_t, size_t> RangeOfTimes(const Timeline& timeline, std::span<const Row> rows,
                                       const Bounds& bounds) {
  const auto first = std::lower_bound(
      rows.begin(), rows.end(), bounds.from == 0 ? 0 : TimelineTime(timeline, bounds.from),
      [](const Row& row, uint64_t time_ns) { return row.time_ns < time_ns; });
  const auto end =
      std::upper_bound(first, rows.end(), TimelineTime(timeline, bounds.to),
                       [](uint64_t time_ns, const Row& row) { return time_ns < row.time_ns; });
  return {first - rows.begin(), end - rows.begin()};
}

// Kernels tell requests without a place by one beyond all disks.
constexpr uint64_t kMostSector = std::numeric_limits<int64_t>::max();

absl::StatusOr<std::unique_ptr<SqlRows>> OpenDiskRequests(QueriedRecording& queried,
                                                          const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  const Timeline& timeline = recording.timeline();
  const auto [first, end] = RangeOfTimes(timeline, timeline.block_records(), limits.begin);
  return RowsByNumber(first, end, [&timeline](size_t row, size_t column, SqlValue& value) {
    const BlockRecord& record = timeline.block_records()[row];
    switch (column) {
      case 0:
        return value.Integer(SinceStart(timeline, record.time_ns));
      case 1:
        return value.StaticText(record.complete ? "complete" : "issue");
      case 2:
        return TellEntity(timeline.FindDevice(EntityKind::kDisk, record.device), value);
      case 3:
        return TellEntity(record.thread, value);
      case 4:
        return value.StaticText(BlockOperationName(record.operation));
      case 5:
        return value.Integer(record.bytes);
      case 6:
        return record.sector > kMostSector ? value.Null() : value.Integer(record.sector);
      default:
        return record.service_ns == 0 ? value.Null() : value.Integer(record.service_ns);
    }
  });
}

class PacketRows : public SqlRows {
 public:
  PacketRows(const Timeline& timeline, const RowLimits& limits) : timeline_(timeline) {
    for (uint32_t node = 0; node < timeline.packet_rows().size(); ++node) {
      if (limits.keys && !std::binary_search(limits.keys->begin(), limits.keys->end(), node))
        continue;
      const auto [first, end] = RangeOfTimes(timeline, RowOf(node), limits.begin);
      if (first < end) parts_.push_back({node, first, end});
    }
  }
  bool Next() override {
    if (is_begun_ && part_ < parts_.size() && ++parts_[part_].first == parts_[part_].end) ++part_;
    is_begun_ = true;
    return part_ < parts_.size();
  }
  void Tell(size_t column, SqlValue& value) const override {
    const Part& part = parts_[part_];
    const PacketRecord& packet = RowOf(part.node)[part.first];
    switch (column) {
      case 0:
        return value.Integer(part.node);
      case 1:
        return value.Integer(SinceStart(timeline_, packet.time_ns));
      case 2:
        return value.StaticText(packet.sent ? "sent" : "received");
      case 3:
        return TellEntity(timeline_.FindDevice(EntityKind::kNic, packet.interface), value);
      case 4:
        return TellEntity(packet.thread, value);
      case 5:
        return value.Integer(packet.bytes);
      case 6:
        return packet.flow_id == 0 ? value.Null() : value.Integer(packet.flow_id);
      case 7:
        return value.Integer(packet.sequence);
      default:
        return value.Integer(packet.cpu);
    }
  }
  int64_t Number() const override {
    const Part& part = parts_[part_];
    return static_cast<int64_t>(uint64_t{part.node} << 40 | part.first);
  }

 private:
  struct Part {
    uint32_t node = 0;
    size_t first = 0;
    size_t end = 0;
  };
  std::span<const PacketRecord> RowOf(uint32_t node) const { return timeline_.packet_rows()[node]; }
  const Timeline& timeline_;
  std::vector<Part> parts_;
  size_t part_ = 0;
  bool is_begun_ = false;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenPackets(QueriedRecording& queried,
                                                     const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  return std::make_unique<PacketRows>(recording.timeline(), limits);
}

std::string_view MomentName(StackMoment moment) {
  switch (moment) {
    case StackMoment::kWait:
      return "wait";
    case StackMoment::kWake:
      return "wake";
    case StackMoment::kCpu:
      break;
  }
  return "cpu";
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenSamples(QueriedRecording& queried,
                                                     const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const auto samples = recording.timeline().stack_samples();
  return RowsByNumber(samples.size(), [samples](size_t row, size_t column, SqlValue& value) {
    const StackSample& sample = samples[row];
    switch (column) {
      case 0:
        return value.Integer(sample.since_start_ns);
      case 1:
        return TellEntity(sample.thread, value);
      case 2:
        return value.StaticText(MomentName(sample.moment()));
      case 3:
        return value.Integer(sample.stack_id);
      case 4:
        return sample.object_id == 0 ? value.Null() : value.Integer(sample.object_id);
      default:
        return value.Integer(uint64_t{1} << std::min<uint64_t>(sample.weight_log2, 62));
    }
  });
}

// Of all stacks that samples have: a row for each frame.
struct StackFrame {
  uint32_t stack_id = 0;
  uint32_t depth = 0;
  uint32_t frame = 0;
};

std::vector<StackFrame> FramesOf(const Analysis& recording, const RowLimits& limits) {
  std::vector<uint32_t> stacks;
  if (limits.keys) {
    for (const uint64_t key : *limits.keys) {
      if (key <= std::numeric_limits<uint32_t>::max()) stacks.push_back(static_cast<uint32_t>(key));
    }
  } else {
    for (const StackSample& sample : recording.timeline().stack_samples())
      stacks.push_back(sample.stack_id);
    std::sort(stacks.begin(), stacks.end());
    stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
  }
  std::vector<StackFrame> frames;
  for (const uint32_t stack : stacks) {
    if (!recording.code().IsDefined(stack)) continue;
    uint32_t depth = 0;
    for (const uint32_t frame : recording.code().PathOf(stack, StackSide::kWaiter))
      frames.push_back({stack, depth++, frame});
  }
  return frames;
}

void TellFrame(const Analysis& recording, const StackFrame& place, size_t column, SqlValue& value) {
  const CodeFrame& frame = recording.code().frame(place.frame);
  switch (column) {
    case 0:
      return value.Integer(place.stack_id);
    case 1:
      return value.Integer(place.depth);
    case 2:
      return value.Text(FrameName(frame));
    case 3:
      return frame.module.empty() ? value.Null() : value.StaticText(frame.module);
    case 4:
      return frame.file.empty() ? value.Null() : value.StaticText(frame.file);
    case 5:
      return frame.line == 0 ? value.Null() : value.Integer(frame.line);
    default:
      return value.Integer(frame.kernel ? 1 : 0);
  }
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenFrames(QueriedRecording& queried,
                                                    const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  const auto frames = std::make_shared<const std::vector<StackFrame>>(FramesOf(recording, limits));
  return RowsByNumber(
      0, frames->size(),
      [&recording, frames](size_t row, size_t column, SqlValue& value) {
        TellFrame(recording, (*frames)[row], column, value);
      },
      [frames](size_t row) {
        return uint64_t{(*frames)[row].stack_id} << 16 | (*frames)[row].depth;
      });
}

template <typename Map>
std::vector<uint32_t> SortedIds(const Map& map) {
  std::vector<uint32_t> ids;
  for (const auto& [id, meaning] : map) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenFlows(QueriedRecording& queried,
                                                   const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const FlowTable& flows = recording.timeline().flows();
  auto ids = SortedIds(flows);
  const size_t count = ids.size();
  return RowsByNumber(
      count, [&flows, ids = std::move(ids)](size_t row, size_t column, SqlValue& value) {
        const FlowRecord& flow = flows.at(ids[row]);
        const uint16_t family = flow.family == FlowFamily::kIpv6 ? 10 : 2;  // AF_INET6, AF_INET
        switch (column) {
          case 0:
            return value.Integer(flow.flow_id);
          case 1:
            return value.Integer(flow.protocol);
          case 2:
            return value.Text(SocketAddressText(family, flow.source, flow.source_port));
          case 3:
            return value.Text(SocketAddressText(family, flow.destination, flow.destination_port));
          default:
            return flow.origin_flow_id == 0 ? value.Null() : value.Integer(flow.origin_flow_id);
        }
      });
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenObjects(QueriedRecording& queried,
                                                     const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const auto& objects = recording.timeline().wait_objects();
  auto ids = SortedIds(objects);
  const size_t count = ids.size();
  return RowsByNumber(
      count, [&objects, ids = std::move(ids)](size_t row, size_t column, SqlValue& value) {
        const WaitObjectRecord& object = objects.at(ids[row]);
        switch (column) {
          case 0:
            return value.Integer(ids[row]);
          case 1:
            return value.StaticText(WaitObjectKindName(object.kind));
          case 2:
            return object.call == WaitCall::kNone ? value.Null()
                                                  : value.Text(WaitCallName(object.call));
          default:
            return value.Text(WaitObjectText(object));
        }
      });
}

}  // namespace

SqlTable DiskRequestTable() {
  return {.name = "disk_request",
          .about = "Requests to disks and their completions",
          .example =
              "SELECT operation, count(*), avg(service_ns) FROM disk_request WHERE kind = "
              "'complete' GROUP BY operation",
          .columns = {{"ns", SqlType::kInteger, "when"},
                      {"kind", SqlType::kText, "issue, complete"},
                      {"disk", SqlType::kInteger, "thread.id of the disk"},
                      {"thread", SqlType::kInteger, "thread.id of who asked"},
                      {"operation", SqlType::kText, "read, write, flush, discard, other"},
                      {"bytes", SqlType::kInteger, "how much"},
                      {"sector", SqlType::kInteger, "where; null if it has no place"},
                      {"service_ns", SqlType::kInteger, "of complete: time since the issue"}},
          .begin = 0,
          .order = {0},
          .open = OpenDiskRequests};
}

SqlTable PacketTable() {
  return {.name = "packet",
          .about = "Packets, as each node sent and received them",
          .example = "SELECT direction, count(*), sum(bytes) FROM packet GROUP BY direction",
          .columns = {{"node_number", SqlType::kInteger, "0, 1, … in the order of nodes"},
                      {"ns", SqlType::kInteger, "when"},
                      {"direction", SqlType::kText, "sent, received"},
                      {"interface", SqlType::kInteger, "thread.id of the interface"},
                      {"thread", SqlType::kInteger, "thread.id of the sender"},
                      {"bytes", SqlType::kInteger, "how much"},
                      {"flow", SqlType::kInteger, "flow.id"},
                      {"sequence", SqlType::kInteger, "its number in the flow"},
                      {"cpu", SqlType::kInteger, "where"}},
          .key = 0,
          .begin = 1,
          .order = {0, 1},
          .open = OpenPackets};
}

SqlTable FlowRowsTable() {
  return {.name = "flow",
          .about = "The two ends of connections, as packets name them; of recordings of many nodes",
          .example = "SELECT source, destination FROM flow WHERE protocol = 6",
          .columns = {{"id", SqlType::kInteger, "packet.flow"},
                      {"protocol", SqlType::kInteger, "6: TCP, 17: UDP"},
                      {"source", SqlType::kText, "address:port"},
                      {"destination", SqlType::kText, "address:port"},
                      {"origin", SqlType::kInteger, "flow.id before its addresses were replaced"}},
          .order = {0},
          .open = OpenFlows};
}

SqlTable StackSampleTable() {
  return {.name = "sample",
          .about = "Stack samples; those of waits and wakes carry the wait's time",
          .example = "SELECT moment, count(*), sum(weight) FROM sample GROUP BY moment",
          .columns = {{"ns", SqlType::kInteger,
                       "when; of a wait: when it began; of a wake: when it ended"},
                      {"thread", SqlType::kInteger, "thread.id of who waits, is woken, or runs"},
                      {"moment", SqlType::kText, "wait, wake, cpu"},
                      {"stack", SqlType::kInteger, "frame.stack"},
                      {"object", SqlType::kInteger, "object.id: what it waits for"},
                      {"weight", SqlType::kInteger, "how many it stands for"}},
          .open = OpenSamples};
}

SqlTable CodeFrameTable() {
  return {.name = "frame",
          .about = "The functions of the stacks that samples have",
          .example = "SELECT function, count(*) FROM frame WHERE depth = 0 GROUP BY function",
          .columns = {{"stack", SqlType::kInteger, "sample.stack"},
                      {"depth", SqlType::kInteger, "0 is the innermost"},
                      {"function", SqlType::kText, "its name, or module and offset"},
                      {"module", SqlType::kText, "the file of the code"},
                      {"file", SqlType::kText, "of the source"},
                      {"line", SqlType::kInteger, "of the source"},
                      {"kernel", SqlType::kInteger, "1 of the kernel's code, else 0"}},
          .key = 0,
          .order = {0, 1},
          .open = OpenFrames};
}

SqlTable WaitObjectTable() {
  return {.name = "object",
          .about = "The things behind system calls that threads waited in",
          .example = "SELECT kind, count(*) FROM object GROUP BY kind",
          .columns = {{"id", SqlType::kInteger, "sample.object"},
                      {"kind", SqlType::kText, "futex, pipe, socket, file, …"},
                      {"call", SqlType::kText, "the system call"},
                      {"text", SqlType::kText, "as reports call it"}},
          .order = {0},
          .open = OpenObjects};
}

}  // namespace gordian
