#include "trace/block_decoder.h"

#include "trace/event_rows.h"
#include "trace/side_tables.h"

namespace gordian {
namespace {

// The thread of each code. Code 0 is the current thread, at a block's beginning the idle thread.
void ReadThreads(const pb::EventBlock& message, std::vector<int32_t>& thread_of_code) {
  thread_of_code.assign(1, 0);
  thread_of_code.reserve(1 + static_cast<size_t>(message.tid_delta_size()));
  uint32_t tid = 0;
  for (const int32_t delta : message.tid_delta()) {
    tid += static_cast<uint32_t>(delta);
    thread_of_code.push_back(static_cast<int32_t>(tid));
  }
}

KindCounts CountKinds(const std::string& kinds) {
  KindCounts counts{};
  for (const char kind : kinds) ++counts[static_cast<uint8_t>(kind)];
  return counts;
}

// Of the side tables, by how many events of their kind came before.
struct NextEntries {
  uint32_t task = 0;
  uint32_t flow = 0;
  uint32_t stack = 0;
  uint32_t wait_object = 0;
};

// Reads the next event of `kind`, whose place in its side table is the number of its kind before
// it.
bool ReadEvent(EventKind kind, EventRows& rows, std::vector<int32_t>& threads,
               const EventBlock& out, NextEntries& next, TraceEvent& event) {
  switch (kind) {
    case EventKind::kSwitch:
      return rows.ReadSwitch(threads, event.sched_switch);
    case EventKind::kWake:
      return rows.ReadWake(threads, event.wake);
    case EventKind::kIrqRun:
      return rows.ReadIrqRun(event.irq_run);
    case EventKind::kBlockIssue:
      return rows.ReadBlockIssue(threads, event.block);
    case EventKind::kBlockComplete:
      return rows.ReadBlockComplete(threads, event.block);
    case EventKind::kNetSend:
      return rows.ReadNetSend(threads, event.net);
    case EventKind::kNetReceive:
      return rows.ReadNetReceive(threads, event.net);
    case EventKind::kTask:
      event.task = TableRef{next.task++};
      return true;
    case EventKind::kProbe:
      return rows.ReadProbe(threads, out.names.size(), event.probe);
    case EventKind::kLoss:
      return rows.ReadLoss(event.loss);
    case EventKind::kFlow:
      event.flow = TableRef{next.flow++};
      return true;
    case EventKind::kStackSample:
      return rows.ReadStackSample(threads, event.stack_sample);
    case EventKind::kStack:
      event.stack = TableRef{next.stack++};
      return true;
    case EventKind::kWaitObject:
      event.wait_object = TableRef{next.wait_object++};
      return true;
  }
  return false;
}

bool IsKnown(uint8_t kind) { return kind > 0 && kind < kEventKinds; }

}  // namespace

absl::Status BlockDecoder::ParseMessage(const BlockHeader& header, std::span<const uint8_t> payload,
                                        google::protobuf::MessageLite& message) {
  if (payload.size() != header.payload_bytes || header.raw_bytes > kMaxBlockRawBytes) {
    return absl::DataLossError("the payload has not the size its header tells");
  }
  const auto raw = decompressor_.Decompress(payload, header.raw_bytes);
  if (!raw.ok()) return raw.status();
  if (!message.ParseFromArray(raw->data(), static_cast<int>(raw->size()))) {
    return absl::DataLossError("the message in the frame cannot be parsed");
  }
  return absl::OkStatus();
}

absl::Status BlockDecoder::DecodeEvents(const BlockHeader& header, std::span<const uint8_t> payload,
                                        EventBlock& out) {
  out.Clear();
  out.cpu = header.cpu;
  auto status = ParseMessage(header, payload, message_);
  if (status.ok()) status = ReadMessage(header, out);
  if (!status.ok()) out.Clear();
  return status;
}

absl::Status BlockDecoder::ReadMessage(const BlockHeader& header, EventBlock& out) {
  if (message_.kinds().size() != header.events || header.events > kMaxBlockEvents) {
    return absl::DataLossError("the number of events is not the one its header tells");
  }
  const KindCounts counts = CountKinds(message_.kinds());
  const size_t tasks = counts[static_cast<size_t>(EventKind::kTask)];
  const size_t flows = counts[static_cast<size_t>(EventKind::kFlow)];
  const size_t stacks = counts[static_cast<size_t>(EventKind::kStack)];
  const size_t wait_objects = counts[static_cast<size_t>(EventKind::kWaitObject)];
  auto status = ReadTasks(message_.tasks(), tasks, names_, out.tasks);
  if (status.ok()) status = ReadFlows(message_.flows(), flows, out.flows);
  if (status.ok()) status = ReadStacks(message_.stacks(), stacks, out.stacks);
  if (status.ok())
    status = ReadWaitObjects(message_.wait_objects(), wait_objects, names_, out.wait_objects);
  if (status.ok()) status = ReadNames(message_.names(), names_, out.names);
  if (!status.ok()) return status;

  EventRows rows(message_);
  if (status = rows.Check(counts); !status.ok()) return status;
  ReadThreads(message_, thread_of_code_);
  return ReadEvents(header, rows, out);
}

absl::Status BlockDecoder::ReadEvents(const BlockHeader& header, EventRows& rows, EventBlock& out) {
  const std::string& kinds = message_.kinds();
  const ColumnView time_delta_ns(message_.time_delta_ns());
  if (!time_delta_ns.Holds(kinds.size())) {
    return absl::DataLossError("there is not one time for each event");
  }
  out.events.reserve(kinds.size());
  uint64_t time_ns = header.first_time_ns;
  NextEntries next;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const uint64_t delta_ns = time_delta_ns[i];
    if (delta_ns > header.last_time_ns - time_ns) {
      return absl::DataLossError("an event is later than its header tells");
    }
    time_ns += delta_ns;
    const auto kind = static_cast<uint8_t>(kinds[i]);
    if (!IsKnown(kind)) continue;
    TraceEvent event{.time_ns = time_ns, .kind = EventKind{kind}, .cpu = header.cpu};
    if (!ReadEvent(EventKind{kind}, rows, thread_of_code_, out, next, event)) {
      return absl::DataLossError("an event's value is out of range");
    }
    out.events.push_back(event);
  }
  if (time_ns != header.last_time_ns) {
    return absl::DataLossError("the last event is earlier than its header tells");
  }
  out.unknown_events = kinds.size() - out.events.size();
  return absl::OkStatus();
}

absl::Status BlockDecoder::DecodeResources(const BlockHeader& header,
                                           std::span<const uint8_t> payload,
                                           pb::ResourceBlock& out) {
  if (auto status = ParseMessage(header, payload, out); !status.ok()) return status;
  if (out.samples_size() != static_cast<int>(header.events) ||
      out.resources_size() > static_cast<int>(kMaxBlockEvents)) {
    return absl::DataLossError("the number of samples is not the one its header tells");
  }
  for (const pb::ResourceSample& sample : out.samples()) {
    if (sample.resource() >= static_cast<uint32_t>(out.resources_size())) {
      return absl::DataLossError("a sample is of no resource");
    }
  }
  return absl::OkStatus();
}

}  // namespace gordian
