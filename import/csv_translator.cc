// SPDX-License-Identifier: Apache-2.0
// The line as a whole: time, CPU, kind, and the beginning and end of the trace. Each kind's own
// meaning stands in csv_kinds.cc.
#include "import/csv_translator.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "fmt/format.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr size_t kFieldsBeforeArguments = 3;  // time, cpu, kind

}  // namespace

struct CsvTranslator::KindDefinition {
  std::string_view name;
  size_t arguments;
  std::string_view shape;  // of the arguments, for messages
  Handler handler;
};

// In order of frequency: the search is linear.
const CsvTranslator::KindDefinition* CsvTranslator::FindKind(std::string_view name) {
  static constexpr KindDefinition kKinds[] = {
      {"switch", 3, "PREV,NEXT,STATE", &CsvTranslator::Switch},
      {"wakeup", 3, "WAKER,WAKEE,CTX", &CsvTranslator::Wakeup},
      {"softirq_entry", 1, "VEC", &CsvTranslator::SoftirqEntry},
      {"softirq_exit", 1, "VEC", &CsvTranslator::SoftirqExit},
      {"net_send", 2, "TID,BYTES", &CsvTranslator::NetSend},
      {"disk_issue", 3, "TID,DEV,BYTES", &CsvTranslator::DiskIssue},
      {"disk_done", 3, "TID,DEV,BYTES", &CsvTranslator::DiskDone},
      {"spin_begin", 2, "TID,LOCK", &CsvTranslator::SpinBegin},
      {"spin_end", 2, "TID,LOCK", &CsvTranslator::SpinEnd},
      {"spin_release", 2, "TID,LOCK", &CsvTranslator::SpinRelease},
      {"cond_wait_begin", 2, "TID,-", &CsvTranslator::CondWaitBegin},
      {"cond_wait_end", 2, "TID,-", &CsvTranslator::CondWaitEnd},
      {"false_wakeup", 2, "TID,-", &CsvTranslator::FalseWakeup},
      {"create", 2, "PARENT,CHILD", &CsvTranslator::Create},
      {"exit", 2, "TID,-", &CsvTranslator::Exit},
      {"exec", 4, "TID,NAME,COMMAND,DIRECTORY", &CsvTranslator::Exec},
      {"thread", 3, "TID,TGID,NAME", &CsvTranslator::AliveThread},
      {"meta", 2, "KEY,VALUE", &CsvTranslator::Meta},
  };
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindDefinition& kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

absl::Status CsvTranslator::TakeLine(std::string_view line) {
  if (line.empty() || line.front() == '#') return absl::OkStatus();
  if (lines_ == 0 && line.starts_with("time_ns,")) return absl::OkStatus();  // a header row
  if (!IsUtf8(line)) return absl::InvalidArgumentError("the line is not UTF-8 text");
  if (absl::Status status = fields_.Split(line); !status.ok()) return status;
  if (fields_.size() < kFieldsBeforeArguments) {
    return absl::InvalidArgumentError(
        fmt::format("expected time_ns,cpu,kind,arguments, found {}", Quoted(line)));
  }
  if (absl::Status status = TakeTimeAndCpu(); !status.ok()) return status;
  const KindDefinition* kind = FindKind(fields_[2]);
  if (kind == nullptr) {
    return absl::InvalidArgumentError(fmt::format("{} is no kind of event", Quoted(fields_[2])));
  }
  if (fields_.size() != kFieldsBeforeArguments + kind->arguments) {
    return absl::InvalidArgumentError(fmt::format("{} takes {}, but {} fields follow it",
                                                  kind->name, kind->shape,
                                                  fields_.size() - kFieldsBeforeArguments));
  }
  return (this->*kind->handler)();
}

absl::Status CsvTranslator::TakeTimeAndCpu() {
  uint64_t time_ns = 0;
  absl::Status status = ParseNumber("time_ns", fields_[0], kMaxTimeNs, time_ns);
  if (!status.ok()) return status;
  if (lines_ > 0 && time_ns < time_ns_) {
    return absl::InvalidArgumentError(fmt::format(
        "time {} is before the line above ({}); sort the file by time", time_ns, time_ns_));
  }
  cpu_ = kNoCpu;
  if (fields_[1] != "-1") {
    uint64_t cpu = 0;
    status = ParseNumber("cpu", fields_[1], kMaxCpu, cpu);
    if (!status.ok()) {
      return absl::InvalidArgumentError(fmt::format(
          "cpu must be -1 or a number from 0 to {}, not {}", kMaxCpu, Quoted(fields_[1])));
    }
    cpu_ = static_cast<uint16_t>(cpu);
    cpus_seen_ = std::max(cpus_seen_, uint32_t{cpu_} + 1);
  }
  if (lines_++ == 0) first_time_ns_ = time_ns;
  time_ns_ = time_ns;
  return absl::OkStatus();
}

absl::Status CsvTranslator::Finish(pb::Session& session) {
  if (lines_ == 0) {
    return absl::InvalidArgumentError(
        "the file holds no events: expected time_ns,cpu,kind,arguments");
  }
  if (absl::Status status = buffers_.Flush(); !status.ok()) return status;
  uint64_t open_softirqs = 0;
  for (const CpuState& cpu : cpus_) open_softirqs += cpu.open.size();
  if (open_softirqs > 0) AddCounter(described_, "import_softirqs_open", open_softirqs);
  if (!unnamed_.empty()) AddCounter(described_, "import_threads_unnamed", unnamed_.size());

  devices_.Describe(described_);
  if (described_.host().cpus() == 0) described_.mutable_host()->set_cpus(cpus_seen_);
  described_.set_start_time_ns(first_time_ns_);
  described_.set_end_time_ns(
      std::max(time_ns_, std::min(first_time_ns_ + told_duration_ns_, kMaxTimeNs)));
  session.MergeFrom(described_);
  return absl::OkStatus();
}

std::string_view CsvTranslator::Argument(size_t index) const {
  return fields_[kFieldsBeforeArguments + index];
}

absl::Status CsvTranslator::ThreadArgument(size_t index, std::string_view what,
                                           int32_t& tid) const {
  uint64_t value = 0;
  absl::Status status = ParseNumber(what, Argument(index), INT32_MAX, value);
  tid = static_cast<int32_t>(value);
  return status;
}

absl::Status CsvTranslator::DashArgument(size_t index) const {
  if (Argument(index) == "-") return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("the last field must be -, not {}", Quoted(Argument(index))));
}

absl::Status CsvTranslator::NeedCpu(std::string_view kind) const {
  if (cpu_ != kNoCpu) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("{} happens on a cpu, which cannot be -1", kind));
}

CsvTranslator::CpuState& CsvTranslator::Cpu() {
  if (cpus_.size() <= cpu_) cpus_.resize(cpu_ + size_t{1});
  return cpus_[cpu_];
}

TraceEvent CsvTranslator::NewEvent(EventKind kind) const {
  return TraceEvent{.time_ns = time_ns_, .kind = kind, .cpu = cpu_};
}

}  // namespace gordian
