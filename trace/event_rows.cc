// SPDX-License-Identifier: Apache-2.0
#include "trace/event_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/name_table.h"

namespace gordian {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr TraceEvent kEmptyEvent{};
constexpr size_t kAddressBytes = std::tuple_size_v<AddressBytes>;

// A value coded as difference. Unsigned, so that nonsense wraps around instead of being undefined.
uint64_t Difference(uint64_t coded) { return static_cast<uint64_t>(UnZigZag(coded)); }

const pb::Column& ColumnOf(const Message& message, const FieldDescriptor* field) {
  return static_cast<const pb::Column&>(message.GetReflection()->GetMessage(message, field));
}

absl::Status WrongLength(const EventSchema& schema, const FieldDescriptor* column) {
  return absl::DataLossError(absl::StrCat("the column ", column->name(), " of ", schema.message,
                                          " has not one value for each of them"));
}

absl::Status OutOfRange(const EventSchema& schema, const EventField& field) {
  return absl::DataLossError(
      absl::StrCat("the ", field.name, " of a ", schema.name, " event is out of range"));
}

bool IsBounded(const EventField& field) { return field.min > 0 || field.max < UINT64_MAX; }

// Whether all values are valid, after invalid values that are forgiven became 0.
bool MayBe(const EventField& field, std::vector<uint64_t>& values) {
  for (uint64_t& value : values) {
    const uint64_t part = value >> field.shift & field.mask();
    if (part >= field.min && part <= field.max && (!field.accepts || field.accepts(part))) continue;
    if (!field.unknown_is_zero) return false;
    value &= ~(field.mask() << field.shift);
  }
  return true;
}

// The thread of each code. Code 0 is the current thread.
void ReadThreadIds(const pb::EventBlock& message, std::vector<int32_t>& thread_of_code) {
  thread_of_code.assign(1, 0);
  thread_of_code.reserve(1 + static_cast<size_t>(message.tid_delta_size()));
  uint32_t tid = 0;
  for (const int32_t delta : message.tid_delta()) {
    tid += static_cast<uint32_t>(delta);
    thread_of_code.push_back(static_cast<int32_t>(tid));
  }
}

std::array<uint32_t, 256> CountKinds(const std::string& kinds) {
  std::array<uint32_t, 256> counts{};
  for (const char kind : kinds) ++counts[static_cast<uint8_t>(kind)];
  return counts;
}

}  // namespace

EventRows::EventRows() {
  for (const KindLayout& layout : EventLayout()) {
    Kind& kind = kinds_.emplace_back();
    kind.layout = &layout;
    for (const ColumnLayout& column : layout.columns) kind.columns.push_back({.layout = &column});
    if (layout.cause_columns.empty()) continue;
    cause_kind_.layout = &layout;
    for (const ColumnLayout& column : layout.cause_columns)
      cause_kind_.columns.push_back({.layout = &column});
  }
}

absl::Status EventRows::Read(const pb::EventBlock& message, const BlockHeader& header,
                             EventBlock& out) {
  if (auto status = ReadNameTable(message.names(), names_); !status.ok()) return status;
  out.names.assign(names_.begin(), names_.end());
  ReadThreadIds(message, thread_of_code_);
  const std::string& kinds = message.kinds();
  const std::array<uint32_t, 256> counts = CountKinds(kinds);
  for (Kind& kind : kinds_) {
    kind.count = counts[static_cast<size_t>(kind.layout->schema->kind)];
    kind.next_entry = 0;
    if (auto status = BeginKind(message, kind); !status.ok()) return status;
  }
  if (auto status = BeginCauses(message, out); !status.ok()) return status;
  if (!ColumnView(message.time_delta_ns()).Holds(kinds.size()))
    return absl::DataLossError("there is not one time for each event");

  out.events.reserve(kinds.size());  // so that they stay where they are
  time_ns_ = header.first_time_ns;
  current_tid_ = 0;
  switches_ = wakes_ = 0;
  for (size_t begin = 0; begin < kinds.size(); begin += kWindowEvents) {
    const size_t end = std::min(kinds.size(), begin + kWindowEvents);
    if (auto status = ReadWindow(message, header, begin, end, out); !status.ok()) return status;
  }
  if (time_ns_ != header.last_time_ns)
    return absl::DataLossError("the last event is earlier than its header tells");
  out.unknown_events = kinds.size() - out.events.size();
  for (Kind& kind : kinds_)
    if (kind.layout->schema->has_table())
      if (auto status = ReadTable(message, out, kind); !status.ok()) return status;
  return absl::OkStatus();
}

absl::Status EventRows::BeginKind(const pb::EventBlock& message, Kind& kind) {
  const Message& columns = message.GetReflection()->GetMessage(message, kind.layout->message);
  const size_t rows = std::max(kind.records.size(), std::min(kind.count, kWindowEvents));
  kind.records.resize(rows);
  kind.current_tids.resize(rows);
  for (Column& column : kind.columns)
    if (auto status = BeginColumn(columns, kind, column); !status.ok()) return status;
  return absl::OkStatus();
}

absl::Status EventRows::BeginColumn(const Message& message, const Kind& kind, Column& column) {
  const auto& reflection = *message.GetReflection();
  const ColumnLayout& layout = *column.layout;
  const EventField& field = layout.first();
  column.next_row = 0;
  column.value_before = 0;
  column.follows =
      layout.follows_flag != nullptr && reflection.GetBool(message, layout.follows_flag);
  if (column.follows) column.follower = GroupFollower(field.member.bits);
  if (field.coding == Coding::kAddress) {
    std::string unused;
    column.bytes = &reflection.GetStringReference(message, layout.column, &unused);
  } else {
    column.view = ColumnView(ColumnOf(message, layout.column));
    if (field.stored_if == nullptr && !column.view.Holds(kind.count))
      return WrongLength(*kind.layout->schema, layout.column);
  }
  if (layout.texts != nullptr) {
    const auto& texts =
        static_cast<const pb::NameTable&>(reflection.GetMessage(message, layout.texts));
    if (auto status = ReadNameTable(texts, column.texts); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The causes are records like others, only that there are fewer of them than wakes.
absl::Status EventRows::BeginCauses(const pb::EventBlock& message, const EventBlock& out) {
  const Kind& wakes = kinds_[static_cast<size_t>(EventKind::kWake) - 1];
  const pb::WakeCauses& causes = message.wakes().causes();
  if (causes.count() > message.kinds().size())
    return absl::DataLossError("there are more causes of wakes than events");
  if (!ColumnView(message.wakes().cause()).Holds(wakes.count))
    return absl::DataLossError("there is not one cause for each wake");
  causes_.assign(causes.count(), WakeEvent{});
  cause_kind_.count = cause_kind_.rows = causes.count();
  cause_kind_.records.clear();
  for (WakeEvent& cause : causes_) cause_kind_.records.push_back(&cause);
  for (Column& column : cause_kind_.columns) {
    if (auto status = BeginColumn(causes, cause_kind_, column); !status.ok()) return status;
    if (auto status = ReadColumn(column, cause_kind_, out); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status EventRows::ReadWindow(const pb::EventBlock& message, const BlockHeader& header,
                                   size_t begin, size_t end, EventBlock& out) {
  for (Kind& kind : kinds_) kind.rows = 0;
  const std::string& kinds = message.kinds();
  const ColumnView time_delta_ns(message.time_delta_ns());
  const ColumnView next_thread(message.switches().next());
  uint64_t time_ns = time_ns_;
  int32_t current_tid = current_tid_;
  for (size_t i = begin; i < end; ++i) {
    const uint64_t delta_ns = time_delta_ns[i];
    if (delta_ns > header.last_time_ns - time_ns)
      return absl::DataLossError("an event is later than its header tells");
    time_ns += delta_ns;
    const auto number = static_cast<uint8_t>(kinds[i]);
    if (number == 0 || number >= kEventKinds) continue;
    TraceEvent& event = out.events.emplace_back(kEmptyEvent);
    event.time_ns = time_ns;
    event.kind = EventKind{number};
    event.cpu = header.cpu;
    Kind& kind = kinds_[number - 1];
    kind.records[kind.rows] = &event.sched_switch;  // or another value that stands there
    kind.current_tids[kind.rows] = current_tid;
    ++kind.rows;
    if (EventKind{number} != EventKind::kSwitch) continue;
    const uint64_t code = next_thread[switches_++];
    if (code >= thread_of_code_.size())
      return absl::DataLossError("a switch is to a thread that is not there");
    if (code != 0) current_tid = thread_of_code_[code];
  }
  time_ns_ = time_ns;
  current_tid_ = current_tid;
  for (Kind& kind : kinds_) {
    if (kind.rows == 0) continue;
    if (kind.layout->schema->has_table()) {
      for (void* record : kind.taken())
        static_cast<TableRef*>(record)->index = static_cast<uint32_t>(kind.next_entry++);
      continue;
    }
    if (!kind.layout->cause_columns.empty())
      if (auto status = TakeCauses(message.wakes(), kind); !status.ok()) return status;
    for (Column& column : kind.columns)
      if (auto status = ReadColumn(column, kind, out); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status EventRows::ReadTable(const pb::EventBlock& message, EventBlock& out, Kind& kind) {
  const RecordTable& table = kind.layout->schema->table;
  table.resize(out, kind.count);
  kind.records.resize(std::max(kind.records.size(), kind.count));
  for (size_t i = 0; i < kind.count; ++i) kind.records[i] = table.at(out, i);
  kind.rows = kind.count;
  for (Column& column : kind.columns) {
    if (column.layout->first().coding == Coding::kList) continue;
    if (auto status = ReadColumn(column, kind, out); !status.ok()) return status;
  }
  if (kind.layout->list_column == nullptr) return absl::OkStatus();
  return ReadLists(message.GetReflection()->GetMessage(message, kind.layout->message), kind);
}

absl::Status EventRows::ReadColumn(Column& column, const Kind& kind, const EventBlock& out) {
  const EventField& field = column.layout->first();
  std::span<void* const> records = kind.taken();
  if (field.stored_if != nullptr) {
    chosen_.clear();
    for (void* record : kind.taken())
      if (field.stored_if(record)) chosen_.push_back(record);
    records = chosen_;
    if (!column.view.Holds(records.size()))
      return WrongLength(*kind.layout->schema, column.layout->column);
  }
  switch (field.coding) {
    case Coding::kAddress:
      return ReadAddresses(column, records, kind);
    case Coding::kThread:
      return ReadThreads(column, kind);
    case Coding::kText:
      return ReadTexts(column, records, kind);
    default:
      return ReadNumbers(column, records, kind, out);
  }
}

absl::Status EventRows::ReadAddresses(Column& column, std::span<void* const> records,
                                      const Kind& kind) {
  if (column.bytes->size() != records.size() * kAddressBytes)
    return WrongLength(*kind.layout->schema, column.layout->column);
  const char* from = column.bytes->data();
  for (void* record : records) {
    std::copy_n(from, kAddressBytes, column.layout->first().member.address(record)->begin());
    from += kAddressBytes;
  }
  return absl::OkStatus();
}

absl::Status EventRows::ReadThreads(Column& column, const Kind& kind) {
  const EventField& field = column.layout->first();
  values_.resize(kind.rows);
  for (size_t i = 0; i < values_.size(); ++i) {
    const uint64_t code = column.view[column.next_row + i];
    if (code >= thread_of_code_.size()) return OutOfRange(*kind.layout->schema, field);
    const int32_t tid = code == 0 ? kind.current_tids[i] : thread_of_code_[code];
    values_[i] = static_cast<uint32_t>(tid);
  }
  column.next_row += values_.size();
  field.member.scatter(kind.taken(), values_.data(), 0, UINT64_MAX);
  return absl::OkStatus();
}

absl::Status EventRows::ReadTexts(Column& column, std::span<void* const> records,
                                  const Kind& kind) {
  const EventField& field = column.layout->first();
  for (void* record : records) {
    const uint64_t index = column.view[column.next_row++];
    if (index >= column.texts.size()) return OutOfRange(*kind.layout->schema, field);
    field.member.text(record)->assign(column.texts[index]);
  }
  return absl::OkStatus();
}

absl::Status EventRows::ReadNumbers(Column& column, std::span<void* const> records,
                                    const Kind& kind, const EventBlock& out) {
  column.view.Load(column.next_row, records.size(), values_);
  column.next_row += records.size();
  const EventField& first = column.layout->first();
  if (first.coding == Coding::kZigZag) {
    for (uint64_t& value : values_) value = Difference(value);
  } else if (first.coding == Coding::kDelta) {
    for (uint64_t& value : values_) value = column.value_before += Difference(value);
  } else if (first.coding == Coding::kDistance) {
    for (size_t i = 0; i < records.size(); ++i)
      values_[i] = first.base.get(records[i]) - Difference(values_[i]);
  } else if (column.follows) {
    for (size_t i = 0; i < records.size(); ++i)
      values_[i] = column.follower.Decode(first.group.get(records[i]), values_[i],
                                          first.base.get(records[i]));
  }
  for (const EventField* field : column.layout->fields) {
    if (IsBounded(*field) && !MayBe(*field, values_))
      return OutOfRange(*kind.layout->schema, *field);
    field->member.scatter(records, values_.data(), field->shift, field->mask());
  }
  if (!column.layout->has_names()) return absl::OkStatus();
  for (size_t i = 0; i < records.size(); ++i)
    if (first.IsNameOf(records[i]) && values_[i] >= out.names.size())
      return OutOfRange(*kind.layout->schema, first);
  return absl::OkStatus();
}

// First all lengths, so that no more memory is taken than there are numbers.
absl::Status EventRows::ReadLists(const Message& message, const Kind& kind) {
  const EventSchema& schema = *kind.layout->schema;
  std::vector<std::pair<const EventField*, ColumnView>> lists;
  for (const Column& column : kind.columns)
    if (column.layout->first().coding == Coding::kList)
      lists.emplace_back(&column.layout->first(), column.view);
  uint64_t numbers = 0;
  for (size_t i = 0; i < kind.rows; ++i) {
    uint64_t left = kMaxStackFrames;
    for (const auto& [field, lengths] : lists) {
      if (lengths[i] > left) return OutOfRange(schema, *field);
      left -= lengths[i];
    }
    numbers += kMaxStackFrames - left;
  }
  const ColumnView column(ColumnOf(message, kind.layout->list_column));
  if (!column.Holds(numbers)) return WrongLength(schema, kind.layout->list_column);

  size_t next = 0;
  uint64_t before = 0;
  for (size_t i = 0; i < kind.rows; ++i)
    for (const auto& [field, lengths] : lists) {
      std::vector<uint64_t>& list = *field->member.list(kind.records[i]);
      list.resize(lengths[i]);
      for (uint64_t& number : list) number = before += Difference(column[next++]);
    }
  return absl::OkStatus();
}

absl::Status EventRows::TakeCauses(const pb::WakeColumns& wakes, const Kind& kind) {
  const ColumnView cause(wakes.cause());
  for (void* record : kind.taken()) {
    const uint64_t index = cause[wakes_++];
    if (index >= causes_.size())
      return absl::DataLossError("a wake is of a cause that is not there");
    *static_cast<WakeEvent*>(record) = causes_[index];
  }
  return absl::OkStatus();
}

}  // namespace gordian
