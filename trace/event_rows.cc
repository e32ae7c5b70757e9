#include "trace/event_rows.h"

namespace gordian {
namespace {

// The greatest value of each enumeration that this version knows. A new one comes with a new
// version of blocks.
constexpr uint64_t kMaxWakeContext = static_cast<uint64_t>(WakeContext::kNmi);
constexpr uint64_t kMaxDeviceKind = static_cast<uint64_t>(DeviceKind::kNic);
constexpr uint64_t kMaxBlockOperation = static_cast<uint64_t>(BlockOperation::kDiscard);
constexpr uint64_t kMaxProbeKind = static_cast<uint64_t>(ProbeKind::kCount);

// The thread of a code that a column holds; false if there is none.
bool Thread(const std::vector<int32_t>& threads, uint64_t code, int32_t& tid) {
  if (code >= threads.size()) return false;
  tid = threads[code];
  return true;
}

template <typename... Columns>
bool AllHold(size_t count, const Columns&... columns) {
  return (columns.Holds(count) && ...);
}

}  // namespace

EventRows::EventRows(const pb::EventBlock& message)
    : message_(message),
      switches_{ColumnView(message.switches().prev()), ColumnView(message.switches().next()),
                ColumnView(message.switches().state())},
      wakes_{ColumnView(message.wakes().wakee()), ColumnView(message.wakes().waker()),
             ColumnView(message.wakes().cause())},
      irq_runs_{ColumnView(message.irq_runs().duration_ns()),
                ColumnView(message.irq_runs().source())},
      block_issues_(message.block_issues()),
      block_completes_(message.block_completes()),
      net_sends_(message.net_sends()),
      net_receives_(message.net_receives()),
      probes_{ColumnView(message.probes().thread()), ColumnView(message.probes().kind()),
              ColumnView(message.probes().name()), ColumnView(message.probes().value())},
      losses_{ColumnView(message.losses().duration_ns()), ColumnView(message.losses().count()),
              ColumnView(message.losses().kind())},
      stack_samples_{ColumnView(message.stack_samples().stack_id()),
                     ColumnView(message.stack_samples().thread()),
                     ColumnView(message.stack_samples().moment()),
                     ColumnView(message.stack_samples().object_id())} {}

absl::Status EventRows::Check(const KindCounts& counts) {
  const auto count = [&](EventKind kind) { return counts[static_cast<size_t>(kind)]; };
  const bool all_hold =
      AllHold(count(EventKind::kSwitch), switches_.prev, switches_.next, switches_.state) &&
      AllHold(count(EventKind::kWake), wakes_.wakee, wakes_.waker, wakes_.cause) &&
      AllHold(count(EventKind::kIrqRun), irq_runs_.duration_ns, irq_runs_.source) &&
      block_issues_.Holds(count(EventKind::kBlockIssue)) &&
      block_completes_.Holds(count(EventKind::kBlockComplete)) &&
      net_sends_.Holds(count(EventKind::kNetSend)) &&
      net_receives_.Holds(count(EventKind::kNetReceive)) &&
      AllHold(count(EventKind::kProbe), probes_.thread, probes_.kind, probes_.name,
              probes_.value) &&
      AllHold(count(EventKind::kLoss), losses_.duration_ns, losses_.count, losses_.kind) &&
      AllHold(count(EventKind::kStackSample), stack_samples_.stack_id, stack_samples_.thread,
              stack_samples_.moment, stack_samples_.object_id);
  if (!all_hold) return absl::DataLossError("a column has not one value for each of its events");
  return ReadCauses();
}

absl::Status EventRows::ReadCauses() {
  const pb::WakeCauses& causes = message_.wakes().causes();
  const ColumnView source(causes.source()), device_kind(causes.device_kind());
  const ColumnView device(causes.device()), flow_id(causes.flow_id());
  if (causes.count() > static_cast<uint32_t>(message_.kinds().size()) ||
      !AllHold(causes.count(), source, device_kind, device, flow_id)) {
    return absl::DataLossError("the causes of wakes have columns of different lengths");
  }
  causes_.resize(causes.count());
  for (size_t i = 0; i < causes_.size(); ++i) {
    if ((source[i] & 7) > kMaxWakeContext || device_kind[i] > kMaxDeviceKind) {
      return absl::DataLossError("the cause of a wake is of an unknown kind");
    }
    causes_[i].context = static_cast<WakeContext>(source[i] & 7);
    causes_[i].waker_is_cause = (source[i] & 8) != 0;
    causes_[i].vector = static_cast<uint16_t>(source[i] >> 4);
    causes_[i].device_kind = static_cast<DeviceKind>(device_kind[i]);
    causes_[i].device = static_cast<uint32_t>(device[i]);
    causes_[i].flow_id = static_cast<uint32_t>(flow_id[i]);
  }
  return absl::OkStatus();
}

bool EventRows::ReadSwitch(std::vector<int32_t>& threads, SwitchEvent& event) {
  const size_t row = switches_.next_row++;
  if (!Thread(threads, switches_.prev[row], event.prev_tid) ||
      !Thread(threads, switches_.next[row], event.next_tid)) {
    return false;
  }
  const uint64_t state = switches_.state[row];
  event.prev_state = static_cast<uint32_t>(state >> 1);
  event.preempted = (state & 1) != 0;
  threads[0] = event.next_tid;
  return true;
}

bool EventRows::ReadWake(const std::vector<int32_t>& threads, WakeEvent& event) {
  const size_t row = wakes_.next_row++;
  const uint64_t cause = wakes_.cause[row];
  if (cause >= causes_.size()) return false;
  event = causes_[cause];
  return Thread(threads, wakes_.wakee[row], event.wakee_tid) &&
         Thread(threads, wakes_.waker[row], event.waker_tid);
}

bool EventRows::ReadIrqRun(IrqRunEvent& event) {
  const size_t row = irq_runs_.next_row++;
  const uint64_t source = irq_runs_.source[row];
  event.duration_ns = irq_runs_.duration_ns[row];
  event.vector = static_cast<uint16_t>(source >> 2);
  event.hard = (source & 2) != 0;
  event.woke = (source & 1) != 0;
  return true;
}

EventRows::BlockRequests::BlockRequests(const pb::BlockColumns& columns)
    : device(columns.device()),
      sector_delta(columns.sector_delta()),
      bytes(columns.bytes()),
      operation(columns.operation()),
      thread(columns.thread()),
      service_ns(columns.service_ns()) {}

bool EventRows::BlockRequests::Holds(size_t count) const {
  return AllHold(count, device, sector_delta, bytes, operation, thread, service_ns);
}

bool EventRows::BlockRequests::Read(const std::vector<int32_t>& threads, BlockEvent& event) {
  const size_t row = next_row++;
  sector_before += static_cast<uint64_t>(UnZigZag(sector_delta[row]));
  event.sector = sector_before;
  event.service_ns = service_ns[row];
  event.device = static_cast<uint32_t>(device[row]);
  event.bytes = static_cast<uint32_t>(bytes[row]);
  event.operation = static_cast<BlockOperation>(operation[row]);
  return operation[row] <= kMaxBlockOperation && Thread(threads, thread[row], event.tid);
}

EventRows::Packets::Packets(const pb::NetColumns& columns)
    : flow_id(columns.flow_id()),
      interface(columns.interface()),
      bytes(columns.bytes()),
      sequence(columns.sequence()),
      thread(columns.thread()),
      in_softirq(columns.in_softirq()) {}

bool EventRows::Packets::Holds(size_t count) const {
  return AllHold(count, flow_id, interface, bytes, sequence, thread, in_softirq);
}

bool EventRows::Packets::Read(const std::vector<int32_t>& threads, NetEvent& event) {
  const size_t row = next_row++;
  event.flow_id = static_cast<uint32_t>(flow_id[row]);
  event.interface = static_cast<uint32_t>(interface[row]);
  event.bytes = static_cast<uint32_t>(bytes[row]);
  event.sequence = static_cast<uint32_t>(sequence[row]);
  event.in_softirq = in_softirq[row] != 0;
  return Thread(threads, thread[row], event.tid);
}

bool EventRows::ReadBlockIssue(const std::vector<int32_t>& threads, BlockEvent& event) {
  return block_issues_.Read(threads, event);
}
bool EventRows::ReadBlockComplete(const std::vector<int32_t>& threads, BlockEvent& event) {
  return block_completes_.Read(threads, event);
}
bool EventRows::ReadNetSend(const std::vector<int32_t>& threads, NetEvent& event) {
  return net_sends_.Read(threads, event);
}
bool EventRows::ReadNetReceive(const std::vector<int32_t>& threads, NetEvent& event) {
  return net_receives_.Read(threads, event);
}

bool EventRows::ReadProbe(const std::vector<int32_t>& threads, size_t names, ProbeEvent& event) {
  const size_t row = probes_.next_row++;
  const uint64_t kind = probes_.kind[row];
  const uint64_t name = probes_.name[row];
  event.kind = static_cast<ProbeKind>(kind);
  event.name = static_cast<uint32_t>(name);
  event.value = probes_.value[row];
  return kind > 0 && kind <= kMaxProbeKind && name < names &&
         (!HasKey(event) || event.value < names) && Thread(threads, probes_.thread[row], event.tid);
}

bool EventRows::ReadStackSample(const std::vector<int32_t>& threads, StackSampleEvent& event) {
  const size_t row = stack_samples_.next_row++;
  const uint64_t moment = stack_samples_.moment[row];
  event.stack_id = static_cast<uint32_t>(stack_samples_.stack_id[row]);
  event.object_id = static_cast<uint32_t>(stack_samples_.object_id[row]);
  event.moment = static_cast<StackMoment>(moment & 3);
  event.weight_log2 = static_cast<uint8_t>(moment >> 2);
  return (moment & 3) != 0 && moment >> 2 <= kMaxWeightLog2 &&
         Thread(threads, stack_samples_.thread[row], event.tid);
}

bool EventRows::ReadLoss(LossEvent& event) {
  const size_t row = losses_.next_row++;
  const uint64_t kind = losses_.kind[row];
  event.duration_ns = losses_.duration_ns[row];
  event.count = losses_.count[row];
  event.kind = static_cast<EventKind>(kind);
  return kind > 0 && kind < kEventKinds;
}

}  // namespace gordian
