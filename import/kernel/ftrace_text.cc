// SPDX-License-Identifier: Apache-2.0
// The line as a whole. Each event's own fields are in ftrace_fields.cc.
#include "import/kernel/ftrace_text.h"

#include <algorithm>
#include <charconv>

#include "import/kernel/ftrace_fields.h"
#include "import/kernel/kernel_translator.h"

namespace gordian {

struct FtraceText::EventLine {
  KernelEvent event;      // time, CPU, context, the thread
  std::string_view comm;  // of the thread; empty: not told
  int32_t tgid = 0;       // likewise 0
  std::string_view name;  // of the event
  std::string_view fields;
};

// A page of HTML has the trace in elements of their own.
bool FtraceText::IsInPage(std::string_view line) {
  if (page_ == Page::kUndecided && !Trimmed(line).empty()) {
    const bool is_page =
        line.starts_with("<!DOCTYPE") || line.starts_with("<!doctype") || line.starts_with("<html");
    page_ = is_page ? Page::kOutsideOfTrace : Page::kNone;
  }
  if (page_ == Page::kOutsideOfTrace) {
    if (line.find("class=\"trace-data\"") != line.npos) page_ = Page::kInTrace;
    return true;
  }
  if (page_ != Page::kInTrace || line.find("</script>") == line.npos) return false;
  page_ = Page::kOutsideOfTrace;
  return true;
}

// Times are told in microseconds, mostly. The file's order tells more: each event of one
// microsecond is put a nanosecond behind the one before.
bool FtraceText::ParseTime(std::string_view text, uint64_t& time_ns) {
  const size_t point = text.find('.');
  uint64_t told_ns = 0;
  uint64_t unit_ns = 1;
  if (!ParseUnsigned(text.substr(0, point), 10, told_ns)) return false;
  if (point != text.npos) {
    std::string_view fraction = text.substr(point + 1);
    if (fraction.empty() || fraction.size() > 9 || told_ns > INT64_MAX / 2'000'000'000)
      return false;
    for (size_t digits = fraction.size(); digits < 9; ++digits) unit_ns *= 10;
    uint64_t parts = 0;
    if (!ParseUnsigned(fraction, 10, parts)) return false;
    told_ns = told_ns * 1'000'000'000 + parts * unit_ns;
  }
  const bool again = unit_ns > 1 && told_ns == told_time_ns_ && time_ns_ + 1 < told_ns + unit_ns;
  time_ns = again ? time_ns_ + 1 : told_ns;
  told_time_ns_ = told_ns;
  return true;
}

// From the CPU in brackets the rest is found on both sides: a thread's name may have any
// characters.
bool FtraceText::ParseLine(std::string_view line, EventLine& parsed) {
  for (size_t open = line.find('['); open != line.npos; open = line.find('[', open + 1)) {
    const size_t close = line.find(']', open);
    if (close == line.npos) return false;
    uint64_t cpu = 0;
    if (open == 0 || line[open - 1] != ' ' ||
        !ParseUnsigned(line.substr(open + 1, close - open - 1), 10, cpu) ||
        cpu > KernelTranslator::kMaxKernelCpu)
      continue;
    std::string_view rest = line.substr(close + 1);
    std::string_view word = TakeWord(rest);
    std::string_view flags;
    if (!word.ends_with(':')) {
      flags = word;
      word = TakeWord(rest);
    }
    if (!word.ends_with(':')) continue;
    std::string_view thread = Trimmed(line.substr(0, open));
    if (thread.ends_with(')')) {
      const size_t bracket = thread.rfind('(');
      if (bracket == thread.npos) continue;
      uint64_t tgid = 0;
      const std::string_view told = thread.substr(bracket + 1, thread.size() - bracket - 2);
      if (ParseUnsigned(Trimmed(told), 10, tgid) && tgid <= INT32_MAX)
        parsed.tgid = static_cast<int32_t>(tgid);
      thread = Trimmed(thread.substr(0, bracket));
    }
    const size_t dash = thread.rfind('-');
    uint64_t tid = 0;
    if (dash == thread.npos || !ParseUnsigned(thread.substr(dash + 1), 10, tid) || tid > INT32_MAX)
      continue;
    rest = Trimmed(rest);
    const size_t colon = rest.find(':');
    if (colon == rest.npos) continue;
    if (!ParseTime(word.substr(0, word.size() - 1), parsed.event.time_ns)) continue;
    parsed.comm = thread.substr(0, dash);
    if (parsed.comm == "<...>" || tid == 0) parsed.comm = {};
    parsed.event.current_tid = static_cast<int32_t>(tid);
    parsed.event.cpu = static_cast<uint16_t>(cpu);
    parsed.event.context = ContextOfFlags(flags);
    parsed.name = rest.substr(0, colon);
    parsed.fields = Trimmed(rest.substr(colon + 1));
    return true;
  }
  return false;
}

// "CPU:1 [LOST 12 EVENTS]", "CPU:1 [12 EVENTS DROPPED]", or without the number.
bool FtraceText::NoteLoss(std::string_view line) {
  if (!line.starts_with("CPU:")) return false;
  if (line.find("LOST") == line.npos && line.find("DROPPED") == line.npos) return false;
  std::string_view rest = line.substr(4);
  uint64_t cpu = 0;
  if (!ParseUnsigned(TakeWord(rest), 10, cpu) || cpu > KernelTranslator::kMaxKernelCpu)
    return false;
  uint64_t count = 0;
  const size_t digit = rest.find_first_of("0123456789");
  if (digit != rest.npos) {
    const size_t end = rest.find_first_not_of("0123456789", digit);
    if (!ParseUnsigned(rest.substr(digit, end - digit), 10, count)) return false;
  }
  KernelEvent loss{.count = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)),
                   .cpu = static_cast<uint16_t>(cpu),
                   .kind = KernelEventKind::kLost};
  // As many as there are CPUs at most wait here, unless lines repeat.
  for (KernelEvent& waiting : losses_) {
    if (waiting.cpu != loss.cpu) continue;
    const uint64_t sum = uint64_t{waiting.count} + loss.count;
    waiting.count = static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX));
    return true;
  }
  losses_.push_back(loss);
  return true;
}

absl::Status FtraceText::Give(KernelEvent& event) {
  for (KernelEvent& loss : losses_) {
    loss.time_ns = event.time_ns;
    if (absl::Status status = sink_(loss); !status.ok()) return status;
  }
  losses_.clear();
  return sink_(event);
}

// Once for each thread and process: every line repeats it.
absl::Status FtraceText::TellProcess(const EventLine& line) {
  if (line.tgid == 0 || line.event.current_tid == 0) return absl::OkStatus();
  if (told_tgids_.size() >= KernelTranslator::kMaxKernelThreads) told_tgids_.clear();
  int32_t& told = told_tgids_[line.event.current_tid];
  if (std::exchange(told, line.tgid) == line.tgid) return absl::OkStatus();
  return sink_({.time_ns = line.event.time_ns,
                .tid = line.event.current_tid,
                .other_tid = line.tgid,
                .name = names_.Intern(line.comm),
                .cpu = line.event.cpu,
                .kind = KernelEventKind::kThread});
}

absl::Status FtraceText::TakeLine(std::string_view line) {
  if (IsInPage(line)) return absl::OkStatus();
  EventLine parsed;
  if (!ParseLine(line, parsed)) {
    if (!NoteLoss(line) && !Trimmed(line).empty() && !line.starts_with('#')) ++unknown_lines_;
    return absl::OkStatus();
  }
  KernelEvent& event = parsed.event;
  time_ns_ = event.time_ns;
  if (absl::Status status = TellProcess(parsed); !status.ok()) return status;
  const std::string_view name = parsed.name;
  if (name.starts_with("sched_wak") || name == "block_rq_issue")
    event.other_name = names_.Intern(parsed.comm);
  if (name == "sched_switch") return TakeSwitch(parsed.fields, event);
  if (name == "sched_waking") {
    event.kind = KernelEventKind::kWaking;
    return TakeWake(parsed.fields, event);
  }
  if (name == "sched_wakeup" || name == "sched_wakeup_new") {
    event.kind = name == "sched_wakeup" ? KernelEventKind::kWakeup : KernelEventKind::kWakeupNew;
    return TakeWake(parsed.fields, event);
  }
  if (name.starts_with("sched_process_") || name.starts_with("task_"))
    return TakeTask(name, parsed.fields, event);
  if (name == "block_rq_issue" || name == "block_rq_complete") {
    event.kind =
        name == "block_rq_issue" ? KernelEventKind::kBlockIssue : KernelEventKind::kBlockComplete;
    return TakeBlock(parsed.fields, event);
  }
  return TakeInterrupt(name, parsed.fields, event);
}

absl::Status FtraceText::Finish() {
  for (KernelEvent& loss : losses_) {
    loss.time_ns = time_ns_;
    if (absl::Status status = sink_(loss); !status.ok()) return status;
  }
  losses_.clear();
  return absl::OkStatus();
}

}  // namespace gordian
