// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/ftrace_fields.h"

#include <algorithm>
#include <charconv>

#include "fmt/format.h"
#include "import/csv_fields.h"
#include "import/kernel/ftrace_text.h"

namespace gordian {
namespace {

constexpr uint64_t kSectorBytes = 512;

absl::Status NotUnderstood(std::string_view what, std::string_view text) {
  return absl::InvalidArgumentError(fmt::format("no {} in {}", what, Quoted(text)));
}

// Where the value of `key` ("pid=") begins; the last one counts, as a thread's name, which comes
// before, may have any text.
size_t FindValue(std::string_view text, std::string_view key) {
  for (size_t at = text.rfind(key); at != text.npos; at = text.rfind(key, at - 1)) {
    if (at == 0) return key.size();
    if (text[at - 1] == ' ') return at + key.size();
  }
  return text.npos;
}

bool UnsignedValue(std::string_view text, std::string_view key, int base, uint64_t& value) {
  const size_t begin = FindValue(text, key);
  if (begin == text.npos) return false;
  std::string_view rest = text.substr(begin);
  return ParseUnsigned(TakeWord(rest), base, value);
}

bool TidValue(std::string_view text, std::string_view key, int32_t& tid) {
  uint64_t value = 0;
  if (!UnsignedValue(text, key, 10, value) || value > INT32_MAX) return false;
  tid = static_cast<int32_t>(value);
  return true;
}

// The text between the first `begin` and the last `end` behind it.
std::string_view Within(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t from = text.find(begin);
  if (from == text.npos) return {};
  const std::string_view rest = text.substr(from + begin.size());
  return rest.substr(0, rest.rfind(end));
}

// "comm:1234 [120]…" of trace-cmd; `rest` is what follows.
bool ShortThread(std::string_view text, std::string_view& comm, int32_t& tid,
                 std::string_view& rest) {
  const size_t bracket = text.rfind(" [");
  if (bracket == text.npos) return false;
  const size_t colon = text.rfind(':', bracket);
  uint64_t value = 0;
  if (colon == text.npos ||
      !ParseUnsigned(text.substr(colon + 1, bracket - colon - 1), 10, value) || value > INT32_MAX)
    return false;
  tid = static_cast<int32_t>(value);
  comm = text.substr(0, colon);
  const size_t close = text.find(']', bracket);
  rest = close == text.npos ? std::string_view() : Trimmed(text.substr(close + 1));
  return true;
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::string_view TakeWord(std::string_view& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) {
    text = {};
    return {};
  }
  const size_t end = std::min(text.find_first_of(" \t", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

bool ParseUnsigned(std::string_view text, int base, uint64_t& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

uint8_t ContextOfFlags(std::string_view flags) {
  constexpr size_t kInterruptColumn = 2;
  if (flags.size() <= kInterruptColumn + 1) return 0;
  switch (flags[kInterruptColumn]) {
    case 'h':
    case 'z':
      return KernelEvent::kToldFlags | KernelEvent::kInHardirq;
    case 'H':
    case 'Z':
      return KernelEvent::kToldFlags | KernelEvent::kInHardirq | KernelEvent::kInSoftirq;
    case 's':
      return KernelEvent::kToldFlags | KernelEvent::kInSoftirq;
    case '.':
      return KernelEvent::kToldFlags;
    default:
      return 0;
  }
}

uint32_t StateOfLetters(std::string_view letters) {
  constexpr std::string_view kLetters = "SDTtXZPI";  // from the lowest bit
  uint32_t state = 0;
  for (const char letter : letters) {
    if (letter == '+') state |= kReportPreempted;
    if (letter == 'x') state |= kStateExitDead;
    if (const size_t bit = kLetters.find(letter); bit != kLetters.npos) state |= 1u << bit;
  }
  return state;
}

BlockOperation OperationOfLetters(std::string_view letters) {
  // A flush before a write is a part of it.
  if (letters.size() > 1 && letters.front() == 'F' && letters[1] == 'W')
    return BlockOperation::kWrite;
  switch (letters.empty() ? ' ' : letters.front()) {
    case 'R':
      return BlockOperation::kRead;
    case 'W':
      return BlockOperation::kWrite;
    case 'F':
      return BlockOperation::kFlush;
    case 'D':
      return BlockOperation::kDiscard;
    default:
      return BlockOperation::kOther;
  }
}

absl::Status FtraceText::TakeSwitch(std::string_view text, KernelEvent& event) {
  event.kind = KernelEventKind::kSwitch;
  const size_t arrow = text.rfind(" ==> ");
  if (arrow == text.npos) return NotUnderstood("==>", text);
  const std::string_view prev = text.substr(0, arrow);
  const std::string_view next = text.substr(arrow + 5);
  std::string_view prev_comm;
  std::string_view next_comm;
  std::string_view letters;
  if (prev.starts_with("prev_comm=")) {
    prev_comm = Within(prev, "prev_comm=", " prev_pid=");
    next_comm = Within(next, "next_comm=", " next_pid=");
    if (!TidValue(prev, "prev_pid=", event.tid)) return NotUnderstood("prev_pid", text);
    if (!TidValue(next, "next_pid=", event.other_tid)) return NotUnderstood("next_pid", text);
    const size_t state = FindValue(prev, "prev_state=");
    if (state == prev.npos) return NotUnderstood("prev_state", text);
    std::string_view rest = prev.substr(state);
    letters = TakeWord(rest);  // others may follow it
  } else {
    std::string_view ignored;
    if (!ShortThread(prev, prev_comm, event.tid, letters) ||
        !ShortThread(next, next_comm, event.other_tid, ignored))
      return NotUnderstood("threads", text);
  }
  event.value = StateOfLetters(letters);
  event.name = event.tid == 0 ? 0 : names_.Intern(prev_comm);
  event.other_name = event.other_tid == 0 ? 0 : names_.Intern(next_comm);
  return Give(event);
}

absl::Status FtraceText::TakeWake(std::string_view text, KernelEvent& event) {
  std::string_view comm;
  std::string_view ignored;
  if (text.starts_with("comm=")) {
    comm = Within(text, "comm=", " pid=");
    if (!TidValue(text, "pid=", event.tid)) return NotUnderstood("pid", text);
  } else if (!ShortThread(text, comm, event.tid, ignored)) {
    return NotUnderstood("thread", text);
  }
  event.name = names_.Intern(comm);
  return Give(event);
}

absl::Status FtraceText::TakeTask(std::string_view name, std::string_view text,
                                  KernelEvent& event) {
  std::string_view comm;
  bool understood = true;
  if (name == "sched_process_fork") {
    event.kind = KernelEventKind::kBirth;
    comm = Within(text, " child_comm=", " child_pid=");
    understood = TidValue(text, "child_pid=", event.tid) && TidValue(text, "pid=", event.other_tid);
  } else if (name == "task_newtask") {
    constexpr uint64_t kCloneThread = 0x10000;
    uint64_t flags = 0;
    event.kind = KernelEventKind::kBirth;
    comm = Within(text, "comm=", " clone_flags=");
    understood =
        TidValue(text, "pid=", event.tid) && UnsignedValue(text, "clone_flags=", 16, flags);
    event.value = static_cast<uint32_t>((flags & kCloneThread) != 0 ? BirthKind::kThread
                                                                    : BirthKind::kProcess);
    event.other_tid = event.current_tid;
  } else if (name == "sched_process_exec") {
    event.kind = KernelEventKind::kExec;
    comm = Within(text, "filename=", " pid=");
    understood = TidValue(text, "pid=", event.tid);
  } else if (name == "sched_process_exit") {
    event.kind = KernelEventKind::kExit;
    comm = Within(text, "comm=", " pid=");
    understood = TidValue(text, "pid=", event.tid);
  } else if (name == "task_rename") {
    event.kind = KernelEventKind::kThread;
    comm = Within(text, " newcomm=", " oom_score_adj=");
    understood = TidValue(text, "pid=", event.tid);
  } else {
    ++unknown_events_;
    return absl::OkStatus();
  }
  if (!understood) return NotUnderstood("threads", text);
  event.name = names_.Intern(comm);
  return Give(event);
}

absl::Status FtraceText::TakeInterrupt(std::string_view name, std::string_view text,
                                       KernelEvent& event) {
  const bool entry = name.ends_with("_entry");
  uint64_t number = 0;
  if (name == "irq_handler_entry" || name == "irq_handler_exit") {
    event.kind = entry ? KernelEventKind::kHardirqEntry : KernelEventKind::kHardirqExit;
    if (!UnsignedValue(text, "irq=", 10, number)) return NotUnderstood("irq", text);
    if (const size_t at = text.find(" name="); entry && at != text.npos)
      named_irq_(static_cast<uint32_t>(number), text.substr(at + 6));
  } else if (name == "softirq_entry" || name == "softirq_exit") {
    event.kind = entry ? KernelEventKind::kSoftirqEntry : KernelEventKind::kSoftirqExit;
    if (!UnsignedValue(text, "vec=", 10, number)) return NotUnderstood("vec", text);
  } else if (name == "hrtimer_expire_entry" || name == "timer_expire_entry") {
    event.kind = KernelEventKind::kTimerEntry;
  } else if (name == "hrtimer_expire_exit" || name == "timer_expire_exit") {
    event.kind = KernelEventKind::kTimerExit;
  } else if (name == "local_timer_entry" || name == "local_timer_exit") {
    event.kind = entry ? KernelEventKind::kHardirqEntry : KernelEventKind::kHardirqExit;
    number = kImportedLocalTimerIrq;
    named_irq_(kImportedLocalTimerIrq, "local timer");
  } else {
    ++unknown_events_;
    return absl::OkStatus();
  }
  event.value = static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
  return Give(event);
}

// "8,0 WS 4096 () 123 + 8 [comm]"; a completion has no bytes.
absl::Status FtraceText::TakeBlock(std::string_view text, KernelEvent& event) {
  std::string_view rest = text;
  const std::string_view device = TakeWord(rest);
  const size_t comma = device.find(',');
  uint64_t major = 0;
  uint64_t minor = 0;
  if (comma == device.npos || !ParseUnsigned(device.substr(0, comma), 10, major) ||
      !ParseUnsigned(device.substr(comma + 1), 10, minor) || major >= 1u << 12 || minor >= 1u << 20)
    return NotUnderstood("device", text);
  event.value = DiskId(static_cast<uint32_t>(major), static_cast<uint32_t>(minor));
  event.operation = static_cast<uint8_t>(OperationOfLetters(TakeWord(rest)));
  std::string_view before = rest;
  uint64_t bytes = 0;
  const bool told_bytes = ParseUnsigned(TakeWord(before), 10, bytes);
  const size_t close = rest.find(") ");
  if (close == rest.npos) return NotUnderstood("sector", text);
  rest.remove_prefix(close + 1);
  uint64_t sectors = 0;
  if (!ParseUnsigned(TakeWord(rest), 10, event.number) || TakeWord(rest) != "+" ||
      !ParseUnsigned(TakeWord(rest), 10, sectors) || sectors > UINT32_MAX)
    return NotUnderstood("sector", text);
  if (!told_bytes) bytes = sectors * kSectorBytes;
  event.count = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  return Give(event);
}

}  // namespace gordian
