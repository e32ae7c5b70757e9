// SPDX-License-Identifier: Apache-2.0
// The meaning of each kind of line.
#include <algorithm>
#include <array>
#include <charconv>

#include "fmt/format.h"
#include "import/csv_translator.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr uint16_t kNetReceiveVector = 3;
constexpr uint16_t kBlockVector = 4;

// The kernel's softirq vectors, by number.
constexpr std::array<std::string_view, 10> kVectorNames = {
    "hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"};

absl::Status ParseVector(std::string_view text, uint16_t& vector) {
  const auto* found = std::find(kVectorNames.begin(), kVectorNames.end(), text);
  uint64_t number = found - kVectorNames.begin();
  if (found == kVectorNames.end() &&
      !ParseNumber("VEC", text, kVectorNames.size() - 1, number).ok()) {
    return absl::InvalidArgumentError(fmt::format(
        "VEC must be a softirq's number from 0 to {} or its name (timer, net_rx, block, "
        "…), not {}",
        kVectorNames.size() - 1, Quoted(text)));
  }
  vector = static_cast<uint16_t>(number);
  return absl::OkStatus();
}

absl::Status NotIdle(std::string_view what, int32_t tid) {
  if (tid != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("{} cannot be 0, the idle thread", what));
}

absl::Status ParseBytes(std::string_view text, uint32_t& bytes) {
  uint64_t value = 0;
  absl::Status status = ParseNumber("BYTES", text, UINT32_MAX, value);
  bytes = static_cast<uint32_t>(value);
  return status;
}

}  // namespace

absl::Status CsvTranslator::Switch() {
  if (absl::Status status = NeedCpu("switch"); !status.ok()) return status;
  TraceEvent event = NewEvent(EventKind::kSwitch);
  event.sched_switch = SwitchEvent{};
  SwitchEvent& change = event.sched_switch;
  if (absl::Status status = ThreadArgument(0, "PREV", change.prev_tid); !status.ok()) return status;
  if (absl::Status status = ThreadArgument(1, "NEXT", change.next_tid); !status.ok()) return status;
  const std::string_view state = Argument(2);
  if (state == "R") {
    change.preempted = change.prev_tid != 0;  // no thread preempts the idle thread
  } else if (state == "S") {
    change.prev_state = kStateInterruptible;
  } else if (state == "D") {
    change.prev_state = kStateUninterruptible;
  } else if (state == "X") {
    change.prev_state = kStateDead;
  } else {
    return absl::InvalidArgumentError(
        fmt::format("STATE must be R, S, D or X, not {}", Quoted(state)));
  }
  int32_t& running_tid = Cpu().running_tid;
  if (running_tid >= 0 && running_tid != change.prev_tid) {
    AddCounter(described_, "import_switches_inconsistent", 1);
  }
  running_tid = change.next_tid;
  Notice(change.next_tid);
  return buffers_.Add(event);
}

absl::Status CsvTranslator::Wakeup() {
  TraceEvent event = NewEvent(EventKind::kWake);
  event.wake = WakeEvent{};
  WakeEvent& wake = event.wake;
  if (absl::Status status = ThreadArgument(0, "WAKER", wake.waker_tid); !status.ok()) return status;
  if (absl::Status status = ThreadArgument(1, "WAKEE", wake.wakee_tid); !status.ok()) return status;
  if (absl::Status status = NotIdle("WAKEE", wake.wakee_tid); !status.ok()) return status;
  if (absl::Status status = WakeCause(Argument(2), wake); !status.ok()) return status;
  Notice(wake.wakee_tid);
  if (cpu_ != kNoCpu && !Cpu().open.empty()) Cpu().open.back().woke = true;
  return buffers_.Add(event);
}

absl::Status CsvTranslator::WakeCause(std::string_view text, WakeEvent& wake) {
  const size_t colon = text.find(':');
  const std::string_view context = text.substr(0, colon);
  wake.waker_is_cause = context == "thread";
  if (context == "thread") {
    wake.context = WakeContext::kThread;
  } else if (context == "hardirq") {
    wake.context = WakeContext::kHardirq;
  } else if (context == "timer") {
    wake.context = WakeContext::kTimer;
  } else if (context == "net_rx") {
    wake.context = WakeContext::kSoftirq;
    wake.vector = kNetReceiveVector;
  } else if (context == "block") {
    wake.context = WakeContext::kSoftirq;
    wake.vector = kBlockVector;
  } else {
    return absl::InvalidArgumentError(fmt::format(
        "CTX must be thread, hardirq, timer, net_rx or block, not {}", Quoted(context)));
  }
  if (colon == std::string_view::npos) return absl::OkStatus();
  return WakeDevice(context, text.substr(colon + 1), wake);
}

// A hardirq may be a disk's or an interface's: it is an interface if a net_rx line has named it
// before.
absl::Status CsvTranslator::WakeDevice(std::string_view context, std::string_view name,
                                       WakeEvent& wake) {
  if (context == "thread" || context == "timer") {
    return absl::InvalidArgumentError(
        fmt::format("no device can follow {}; only hardirq, net_rx and block have one", context));
  }
  const bool is_nic = context == "net_rx" || (context == "hardirq" && devices_.IsInterface(name));
  const absl::StatusOr<uint32_t> device = is_nic ? devices_.Interface(name) : devices_.Disk(name);
  if (!device.ok()) return device.status();
  wake.device_kind = is_nic ? DeviceKind::kNic : DeviceKind::kDisk;
  wake.device = *device;
  return absl::OkStatus();
}

absl::Status CsvTranslator::SoftirqEntry() {
  if (absl::Status status = NeedCpu("softirq_entry"); !status.ok()) return status;
  OpenSoftirq entered{.entry_time_ns = time_ns_};
  if (absl::Status status = ParseVector(Argument(0), entered.vector); !status.ok()) return status;
  std::vector<OpenSoftirq>& open = Cpu().open;
  if (open.size() == kMaxSoftirqDepth) {
    return absl::InvalidArgumentError(fmt::format(
        "{} softirqs are open on this cpu; softirq_exit lines are missing", kMaxSoftirqDepth));
  }
  open.push_back(entered);
  return absl::OkStatus();
}

absl::Status CsvTranslator::SoftirqExit() {
  if (absl::Status status = NeedCpu("softirq_exit"); !status.ok()) return status;
  uint16_t vector = 0;
  if (absl::Status status = ParseVector(Argument(0), vector); !status.ok()) return status;
  std::vector<OpenSoftirq>& open = Cpu().open;
  if (open.empty()) {
    return absl::InvalidArgumentError("softirq_exit without a softirq_entry before it on this cpu");
  }
  const OpenSoftirq entered = open.back();
  if (entered.vector != vector) {
    return absl::InvalidArgumentError(
        fmt::format("softirq_exit of {}, but the last one entered on this cpu is {}",
                    kVectorNames[vector], kVectorNames[entered.vector]));
  }
  open.pop_back();
  TraceEvent event = NewEvent(EventKind::kIrqRun);
  event.irq_run = IrqRunEvent{.duration_ns = time_ns_ - entered.entry_time_ns,
                              .vector = vector,
                              .hard = false,
                              .woke = entered.woke};
  return buffers_.Add(event);
}

absl::Status CsvTranslator::DiskRequest(TraceEvent& event) {
  event.block = BlockEvent{};
  if (absl::Status status = ThreadArgument(0, "TID", event.block.tid); !status.ok()) return status;
  const absl::StatusOr<uint32_t> disk = devices_.Disk(Argument(1));
  if (!disk.ok()) return disk.status();
  event.block.device = *disk;
  return ParseBytes(Argument(2), event.block.bytes);
}

absl::Status CsvTranslator::DiskIssue() {
  TraceEvent event = NewEvent(EventKind::kBlockIssue);
  if (absl::Status status = DiskRequest(event); !status.ok()) return status;
  if (requests_in_flight_ == kMaxRequestsInFlight) {
    return absl::InvalidArgumentError(fmt::format(
        "{} disk requests are in flight; disk_done lines are missing", kMaxRequestsInFlight));
  }
  ++requests_in_flight_;
  issue_times_ns_[{event.block.tid, event.block.device}].push_back(time_ns_);
  return buffers_.Add(event);
}

// Answers the oldest request of that thread on that disk.
absl::Status CsvTranslator::DiskDone() {
  TraceEvent event = NewEvent(EventKind::kBlockComplete);
  if (absl::Status status = DiskRequest(event); !status.ok()) return status;
  const auto waiting = issue_times_ns_.find({event.block.tid, event.block.device});
  if (waiting == issue_times_ns_.end()) {
    AddCounter(described_, "import_disk_done_unmatched", 1);
    return buffers_.Add(event);
  }
  event.block.service_ns = time_ns_ - waiting->second.front();
  waiting->second.pop_front();
  if (waiting->second.empty()) issue_times_ns_.erase(waiting);
  --requests_in_flight_;
  return buffers_.Add(event);
}

absl::Status CsvTranslator::NetSend() {
  TraceEvent event = NewEvent(EventKind::kNetSend);
  event.net = NetEvent{};
  if (absl::Status status = ThreadArgument(0, "TID", event.net.tid); !status.ok()) return status;
  if (absl::Status status = ParseBytes(Argument(1), event.net.bytes); !status.ok()) return status;
  return buffers_.Add(event);
}

// A lock is told by its address or by a name. A named one gets a value no address in user space
// has.
absl::Status CsvTranslator::Lock(ProbeKind kind) {
  TraceEvent event = NewEvent(EventKind::kProbe);
  event.probe = ProbeEvent{.kind = kind};
  if (absl::Status status = ThreadArgument(0, "TID", event.probe.tid); !status.ok()) return status;
  if (absl::Status status = NotIdle("TID", event.probe.tid); !status.ok()) return status;
  const std::string_view lock = Argument(1);
  if (lock.empty() || lock.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(
        fmt::format("LOCK must be an address or a name of 1 to {} bytes", kMaxNameBytes));
  }
  const bool hex = lock.starts_with("0x");
  const char* end = lock.data() + lock.size();
  const auto parsed =
      std::from_chars(lock.data() + (hex ? 2 : 0), end, event.probe.value, hex ? 16 : 10);
  if (parsed.ec == std::errc() && parsed.ptr == end) return buffers_.Add(event);

  constexpr uint64_t kNamedLock = uint64_t{1} << 63;
  const auto [entry, is_new] =
      lock_names_.try_emplace(std::string(lock), kNamedLock | lock_names_.size());
  if (is_new && lock_names_.size() > kMaxLockNames) {
    return absl::InvalidArgumentError(
        fmt::format("more than {} names of locks; give addresses instead", kMaxLockNames));
  }
  event.probe.value = entry->second;
  return buffers_.AddNamedProbe(event, lock);
}

absl::Status CsvTranslator::Mark(ProbeKind kind) {
  TraceEvent event = NewEvent(EventKind::kProbe);
  event.probe = ProbeEvent{.kind = kind};
  if (absl::Status status = ThreadArgument(0, "TID", event.probe.tid); !status.ok()) return status;
  if (absl::Status status = NotIdle("TID", event.probe.tid); !status.ok()) return status;
  if (absl::Status status = DashArgument(1); !status.ok()) return status;
  return buffers_.Add(event);
}

}  // namespace gordian
