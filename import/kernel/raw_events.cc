// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/raw_events.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "fmt/format.h"
#include "import/csv_fields.h"
#include "import/kernel/byte_cursor.h"
#include "import/kernel/ftrace_fields.h"

namespace gordian {

// What a field means. Each event has only some.
enum class RawEvents::Role : uint8_t {
  kNone,
  kFlags,
  kCurrent,
  kTid,
  kOtherTid,
  kName,
  kOtherName,
  kValue,
  kIrqName,
  kCloneFlags,
  kSector,
  kSectors,
  kBytes,
  kOperation,
};

struct RawEvents::Wanted {
  struct Field {
    std::string_view name;
    Role role = Role::kNone;
  };
  std::string_view name;
  KernelEventKind kind;
  std::array<Field, 5> fields{};
};

namespace {

// Larger records do not fit into the kernel's buffers.
constexpr uint64_t kMaxRecordBytes = 64u << 10;

// The whole of an unsigned number of 1, 2, 4 or 8 bytes.
uint64_t NumberAt(std::span<const uint8_t> record, uint32_t offset, uint32_t size, bool is_signed) {
  uint64_t value = 0;
  std::memcpy(&value, record.data() + offset, std::min<size_t>(size, sizeof(value)));
  if (!is_signed || size == 0 || size >= sizeof(value)) return value;
  const uint64_t sign = uint64_t{1} << (size * 8 - 1);
  return (value ^ sign) - sign;
}

uint64_t FieldNumber(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == line.npos) return kMaxRecordBytes;
  const std::string_view rest = line.substr(at + key.size());
  uint64_t value = 0;
  const bool read = ParseUnsigned(rest.substr(0, rest.find(';')), 10, value);
  return read ? value : kMaxRecordBytes;
}

uint32_t Saturated(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX));
}

}  // namespace

const RawEvents::Wanted* RawEvents::FindWanted(std::string_view name) {
  using Kind = KernelEventKind;
  static constexpr Wanted kWanted[] = {
      {"sched_switch",
       Kind::kSwitch,
       {{{"prev_pid", Role::kTid},
         {"next_pid", Role::kOtherTid},
         {"prev_comm", Role::kName},
         {"next_comm", Role::kOtherName},
         {"prev_state", Role::kValue}}}},
      {"sched_waking", Kind::kWaking, {{{"pid", Role::kTid}, {"comm", Role::kName}}}},
      {"sched_wakeup", Kind::kWakeup, {{{"pid", Role::kTid}, {"comm", Role::kName}}}},
      {"sched_wakeup_new", Kind::kWakeupNew, {{{"pid", Role::kTid}, {"comm", Role::kName}}}},
      {"sched_process_fork",
       Kind::kBirth,
       {{{"child_pid", Role::kTid}, {"parent_pid", Role::kOtherTid}, {"child_comm", Role::kName}}}},
      {"task_newtask",
       Kind::kBirth,
       {{{"pid", Role::kTid}, {"comm", Role::kName}, {"clone_flags", Role::kCloneFlags}}}},
      {"sched_process_exec", Kind::kExec, {{{"pid", Role::kTid}, {"filename", Role::kName}}}},
      {"sched_process_exit", Kind::kExit, {{{"pid", Role::kTid}, {"comm", Role::kName}}}},
      {"task_rename", Kind::kThread, {{{"pid", Role::kTid}, {"newcomm", Role::kName}}}},
      {"irq_handler_entry",
       Kind::kHardirqEntry,
       {{{"irq", Role::kValue}, {"name", Role::kIrqName}}}},
      {"irq_handler_exit", Kind::kHardirqExit, {{{"irq", Role::kValue}}}},
      {"softirq_entry", Kind::kSoftirqEntry, {{{"vec", Role::kValue}}}},
      {"softirq_exit", Kind::kSoftirqExit, {{{"vec", Role::kValue}}}},
      {"local_timer_entry", Kind::kHardirqEntry, {}},
      {"local_timer_exit", Kind::kHardirqExit, {}},
      {"hrtimer_expire_entry", Kind::kTimerEntry, {}},
      {"hrtimer_expire_exit", Kind::kTimerExit, {}},
      {"timer_expire_entry", Kind::kTimerEntry, {}},
      {"timer_expire_exit", Kind::kTimerExit, {}},
      {"block_rq_issue",
       Kind::kBlockIssue,
       {{{"dev", Role::kValue},
         {"sector", Role::kSector},
         {"nr_sector", Role::kSectors},
         {"bytes", Role::kBytes},
         {"rwbs", Role::kOperation}}}},
      {"block_rq_complete",
       Kind::kBlockComplete,
       {{{"dev", Role::kValue},
         {"sector", Role::kSector},
         {"nr_sector", Role::kSectors},
         {"rwbs", Role::kOperation}}}},
  };
  const auto* found = std::find_if(std::begin(kWanted), std::end(kWanted),
                                   [&](const Wanted& wanted) { return wanted.name == name; });
  return found == std::end(kWanted) ? nullptr : found;
}

// "	field:char prev_comm[16];	offset:8;	size:16;	signed:0;"
bool RawEvents::ParsePlace(std::string_view line, std::string_view& name, Place& place) {
  const size_t begin = line.find("field:");
  if (begin == line.npos) return false;
  std::string_view declared = line.substr(begin + 6);
  declared = declared.substr(0, declared.find(';'));
  place.elsewhere = declared.starts_with("__data_loc");
  name = declared.substr(declared.rfind(' ') + 1);
  name = name.substr(0, name.find('['));
  const uint64_t offset = FieldNumber(line, "offset:");
  const uint64_t size = FieldNumber(line, "size:");
  if (offset + size > kMaxRecordBytes) return false;
  place.offset = static_cast<uint32_t>(offset);
  place.size = static_cast<uint32_t>(size);
  place.is_signed = FieldNumber(line, "signed:") == 1;
  return true;
}

absl::Status RawEvents::Describe(std::string_view format) {
  std::string_view name;
  uint64_t id = UINT16_MAX + uint64_t{1};
  Event event;
  while (!format.empty()) {
    const std::string_view line = format.substr(0, format.find('\n'));
    format.remove_prefix(std::min(format.size(), line.size() + 1));
    if (line.starts_with("name: ")) {
      name = line.substr(6);
      event.wanted = FindWanted(name);
      if (event.wanted == nullptr) return absl::OkStatus();
    } else if (line.starts_with("ID: ") && !ParseUnsigned(line.substr(4), 10, id)) {
      return absl::InvalidArgumentError(fmt::format("no number in {}", Quoted(line)));
    }
    Place place;
    std::string_view field;
    if (event.wanted == nullptr || !ParsePlace(line, field, place)) continue;
    if (field == "common_flags") place.role = Role::kFlags;
    if (field == "common_pid") place.role = Role::kCurrent;
    for (const Wanted::Field& wanted : event.wanted->fields) {
      if (wanted.role != Role::kNone && wanted.name == field) place.role = wanted.role;
    }
    if (place.role == Role::kNone) continue;
    event.least_bytes = std::max(event.least_bytes, place.offset + place.size);
    event.places.push_back(place);
  }
  if (event.wanted == nullptr) return absl::OkStatus();
  if (id > UINT16_MAX) return absl::InvalidArgumentError(fmt::format("{} has no ID", Quoted(name)));
  for (const Wanted::Field& wanted : event.wanted->fields) {
    if (wanted.role == Role::kNone || wanted.role == Role::kBytes) continue;
    const bool found = std::any_of(event.places.begin(), event.places.end(),
                                   [&](const Place& place) { return place.role == wanted.role; });
    if (!found)
      return absl::InvalidArgumentError(fmt::format("{} has no field {}", name, wanted.name));
  }
  event.kind = event.wanted->kind;
  events_.insert_or_assign(static_cast<uint16_t>(id), std::move(event));
  return absl::OkStatus();
}

void RawEvents::Fill(std::span<const uint8_t> record, const Place& place, KernelEvent& event) {
  std::span<const uint8_t> bytes = record.subspan(place.offset, place.size);
  const uint64_t number = NumberAt(record, place.offset, place.size, place.is_signed);
  if (place.elsewhere) {
    // The kernel's text ends in the record; one that does not is cut there.
    const size_t offset = std::min<size_t>(number & 0xffff, record.size());
    bytes = record.subspan(offset, std::min<size_t>(number >> 16 & 0xffff, record.size() - offset));
  }
  constexpr uint8_t kHardirqFlag = 0x08;
  constexpr uint8_t kSoftirqFlag = 0x10;
  constexpr uint64_t kCloneThreadFlag = 0x10000;
  constexpr uint64_t kBytesPerSector = 512;
  switch (place.role) {
    case Role::kNone:
      break;
    case Role::kFlags:
      event.context = KernelEvent::kToldFlags;
      if ((number & kHardirqFlag) != 0) event.context |= KernelEvent::kInHardirq;
      if ((number & kSoftirqFlag) != 0) event.context |= KernelEvent::kInSoftirq;
      break;
    case Role::kCurrent:
      event.current_tid = static_cast<int32_t>(number);
      break;
    case Role::kTid:
      event.tid = static_cast<int32_t>(number);
      break;
    case Role::kOtherTid:
      event.other_tid = static_cast<int32_t>(number);
      break;
    case Role::kName:
      event.name = names_.Intern(ZeroEnded(bytes));
      break;
    case Role::kOtherName:
      event.other_name = names_.Intern(ZeroEnded(bytes));
      break;
    case Role::kValue:
      event.value = static_cast<uint32_t>(number);
      break;
    case Role::kIrqName:
      named_irq_(event.value, ZeroEnded(bytes));
      break;
    case Role::kCloneFlags:
      event.value = static_cast<uint32_t>((number & kCloneThreadFlag) != 0 ? BirthKind::kThread
                                                                           : BirthKind::kProcess);
      break;
    case Role::kSector:
      event.number = number;
      break;
    case Role::kSectors:
      event.count = Saturated(number * kBytesPerSector);
      break;
    case Role::kBytes:
      event.count = Saturated(number);
      break;
    case Role::kOperation:
      event.operation = static_cast<uint8_t>(OperationOfLetters(ZeroEnded(bytes)));
      break;
  }
}

absl::Status RawEvents::Decode(std::span<const uint8_t> record, KernelEvent& event, bool& known) {
  known = false;
  uint16_t id = 0;
  if (!ByteCursor(record).Take(id))
    return absl::InvalidArgumentError("a record without its event's number");
  const auto found = events_.find(id);
  if (found == events_.end()) {
    ++unknown_;
    return absl::OkStatus();
  }
  const Event& described = found->second;
  if (record.size() < described.least_bytes) {
    return absl::InvalidArgumentError(fmt::format("{} has {} bytes, not {}", described.wanted->name,
                                                  record.size(), described.least_bytes));
  }
  event.kind = described.kind;
  for (const Place& place : described.places) Fill(record, place, event);
  if (described.wanted->name.starts_with("local_timer")) {
    event.value = kImportedLocalTimerIrq;
    named_irq_(kImportedLocalTimerIrq, "local timer");
  }
  if (described.wanted->name == "task_newtask") event.other_tid = std::max(0, event.current_tid);
  known = true;
  return absl::OkStatus();
}

}  // namespace gordian
