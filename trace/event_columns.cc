// SPDX-License-Identifier: Apache-2.0
#include "trace/event_columns.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

uint64_t ZigZagDifference(uint64_t value, uint64_t before) {
  return ZigZag(static_cast<int64_t>(value - before));
}

template <typename Part>
Part& MutablePart(Message& message, const FieldDescriptor* field) {
  return static_cast<Part&>(*message.GetReflection()->MutableMessage(&message, field));
}

absl::Status RefersPastTable(const EventSchema& schema, uint64_t index, size_t size) {
  return absl::InvalidArgumentError(
      absl::StrCat("a ", schema.name, " event refers to entry ", index, " of a table of ", size));
}

std::pair<uint64_t, uint64_t> CauseOf(const WakeEvent& wake) {
  return {uint64_t{wake.vector} << 24 | uint64_t{wake.waker_is_cause} << 16 |
              static_cast<uint64_t>(wake.context) << 8 | static_cast<uint64_t>(wake.device_kind),
          uint64_t{wake.device} << 32 | wake.flow_id};
}

}  // namespace

EventColumns::EventColumns() {
  for (const KindLayout& layout : EventLayout()) {
    auto& message = MutablePart<Message>(message_, layout.message);
    Kind kind{.layout = &layout};
    for (const ColumnLayout& column : layout.columns)
      kind.columns.push_back(NewColumn(column, message));
    if (layout.list_column != nullptr)
      kind.list.written = &MutablePart<pb::Column>(message, layout.list_column);
    kinds_.push_back(std::move(kind));
    for (const ColumnLayout& column : layout.cause_columns)
      causes_.kind.columns.push_back(
          NewColumn(column, *message_.mutable_wakes()->mutable_causes()));
  }
}

EventColumns::Column EventColumns::NewColumn(const ColumnLayout& layout, Message& message) {
  Column column{.layout = &layout, .message = &message};
  const EventField& field = layout.first();
  if (field.coding != Coding::kAddress && !field.absent_if_zero)
    column.written = &MutablePart<pb::Column>(message, layout.column);
  if (field.coding == Coding::kFollows) column.follower = GroupFollower(field.member.bits);
  if (layout.texts != nullptr)
    column.written_texts = &MutablePart<pb::NameTable>(message, layout.texts);
  return column;
}

absl::Status EventColumns::Fill(const EventBlock& block, std::span<const TraceEvent> events) {
  threads_.Clear();
  version_ = kOldestBlockVersion;
  time_before_ns_ = events.empty() ? 0 : events.front().time_ns;
  current_tid_ = 0;
  message_.mutable_kinds()->clear();
  absl::Status status;
  for (size_t begin = 0; begin < events.size() && status.ok(); begin += kWindowEvents)
    status = Collect(block, events.subspan(begin, std::min(kWindowEvents, events.size() - begin)));
  // Also after an error, so that nothing of this block stays in the columns of the next.
  WriteColumn(time_deltas_ns_, *message_.mutable_time_delta_ns());
  time_deltas_ns_.clear();
  message_.clear_tid_delta();
  threads_.AssignCodes(*message_.mutable_tid_delta());
  names_.MoveTo(*message_.mutable_names());
  for (Kind& kind : kinds_) Write(kind);
  WriteCauses();
  return status;
}

absl::Status EventColumns::Collect(const EventBlock& block, std::span<const TraceEvent> events) {
  if (auto status = PartByKind(block, events); !status.ok()) return status;
  for (Kind& kind : kinds_) {
    if (kind.records.empty()) continue;
    if (auto status = CollectKind(block, kind); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status EventColumns::PartByKind(const EventBlock& block, std::span<const TraceEvent> events) {
  for (Kind& kind : kinds_) {
    kind.records.clear();
    kind.current_tids.clear();
  }
  std::string& kinds = *message_.mutable_kinds();
  for (const TraceEvent& event : events) {
    const auto number = static_cast<size_t>(event.kind);
    if (number == 0 || number > kinds_.size())
      return absl::InvalidArgumentError(absl::StrCat("an event is of the unknown kind ", number));
    kinds.push_back(static_cast<char>(number));
    time_deltas_ns_.push_back(event.time_ns - time_before_ns_);
    time_before_ns_ = event.time_ns;
    Kind& kind = kinds_[number - 1];
    kind.records.push_back(kind.layout->schema->has_table() ? RecordOf(event, block)
                                                            : &event.sched_switch);
    if (kind.records.back() == nullptr) {
      const EventSchema& schema = *kind.layout->schema;
      return RefersPastTable(schema, event.task.index, schema.table.size(block));
    }
    kind.current_tids.push_back(current_tid_);
    if (event.kind == EventKind::kSwitch) current_tid_ = event.sched_switch.next_tid;
  }
  return absl::OkStatus();
}

absl::Status EventColumns::CollectKind(const EventBlock& block, Kind& kind) {
  for (Column& column : kind.columns)
    if (!column.layout->has_names()) CollectColumn(column, kind);
  if (!kind.layout->cause_columns.empty()) CollectCauses(kind);
  if (kind.layout->list_column != nullptr)
    if (auto status = CollectLists(kind); !status.ok()) return status;
  return CollectNames(block, kind);
}

void EventColumns::CollectColumn(Column& column, const Kind& kind) {
  const EventField& field = column.layout->first();
  std::span<const void* const> records = kind.records;
  if (field.stored_if != nullptr) {
    chosen_.clear();
    for (const void* record : kind.records)
      if (field.stored_if(record)) chosen_.push_back(record);
    records = chosen_;
  }
  switch (field.coding) {
    case Coding::kThread:
      return CollectThreads(column, kind);
    case Coding::kText:
      for (const void* record : records)
        column.values.push_back(column.texts.Index(field.member.TextOf(record)));
      return;
    case Coding::kAddress:
      for (const void* record : records) {
        const AddressBytes& address = field.member.AddressOf(record);
        column.bytes.append(address.begin(), address.end());
      }
      return;
    case Coding::kList:
      for (const void* record : records)
        column.values.push_back(field.member.ListOf(record).size());
      return;
    default:
      return CollectNumbers(column, records);
  }
}

void EventColumns::CollectNumbers(Column& column, std::span<const void* const> records) {
  const EventField& field = column.layout->first();
  const size_t begin = column.values.size();
  column.values.resize(begin + records.size());
  const auto values = std::span(column.values).subspan(begin);
  for (const EventField* part : column.layout->fields)
    part->member.gather(records, part->shift, values.data());
  if (field.coding == Coding::kZigZag) {
    for (uint64_t& value : values) value = ZigZag(static_cast<int64_t>(value));
  } else if (field.coding == Coding::kDelta) {
    for (uint64_t& value : values) {
      const uint64_t number = value;
      value = ZigZagDifference(number, column.number_before);
      column.number_before = number;
    }
  } else if (field.coding == Coding::kDistance) {
    for (size_t i = 0; i < records.size(); ++i)
      values[i] = ZigZagDifference(field.base.get(records[i]), values[i]);
  } else if (field.coding == Coding::kFollows) {
    for (size_t i = 0; i < records.size(); ++i)
      values[i] = column.follower.Encode(field.group.get(records[i]), values[i],
                                         field.base.get(records[i]));
  } else if (field.member.type == MemberType::kSigned && field.member.bits < 64) {
    for (uint64_t& value : values) value &= (uint64_t{1} << field.member.bits) - 1;
  }
}

void EventColumns::CollectThreads(Column& column, const Kind& kind) {
  const size_t begin = column.values.size();
  column.values.resize(begin + kind.records.size());
  const auto values = std::span(column.values).subspan(begin);
  column.layout->first().member.gather(kind.records, 0, values.data());
  for (size_t i = 0; i < values.size(); ++i) {
    const auto tid = static_cast<int32_t>(values[i]);
    values[i] = tid == kind.current_tids[i] ? ThreadDictionary::kCurrent : threads_.Slot(tid);
  }
}

// Record by record, so that the block's names stand in the order in which they are said.
absl::Status EventColumns::CollectNames(const EventBlock& block, Kind& kind) {
  std::vector<Column*> columns;
  for (Column& column : kind.columns)
    if (column.layout->has_names()) columns.push_back(&column);
  if (columns.empty()) return absl::OkStatus();
  for (const void* record : kind.records) {
    for (Column* column : columns) {
      const EventField& field = column->layout->first();
      uint64_t number = field.member.get(record);
      // Index 0 is the empty name even where the table has not been begun.
      if (number > 0 && field.IsNameOf(record)) {
        if (number >= block.names.size())
          return RefersPastTable(*kind.layout->schema, number, block.names.size());
        number = names_.Index(block.names[number]);
      }
      column->values.push_back(number);
    }
  }
  return absl::OkStatus();
}

// The numbers of all lists of a record, and of all records, one after the other.
absl::Status EventColumns::CollectLists(Kind& kind) {
  for (const void* record : kind.records) {
    size_t length = 0;
    for (const EventField& field : kind.layout->schema->fields) {
      if (field.coding != Coding::kList) continue;
      for (const uint64_t number : field.member.ListOf(record)) {
        kind.list.values.push_back(ZigZagDifference(number, kind.list.number_before));
        kind.list.number_before = number;
        ++length;
      }
    }
    if (length > kMaxStackFrames)
      return absl::InvalidArgumentError(
          absl::StrCat("a stack has more than ", kMaxStackFrames, " frames"));
  }
  return absl::OkStatus();
}

void EventColumns::CollectCauses(const Kind& wakes) {
  std::vector<const void*>& causes = causes_.kind.records;
  for (const void* record : wakes.records) {
    const Causes::Words cause = CauseOf(*static_cast<const WakeEvent*>(record));
    if (causes.empty() || cause != causes_.last) {
      const auto [entry, is_new] = causes_.index_of.try_emplace(cause, causes.size());
      if (is_new) causes.push_back(record);
      causes_.last = cause;
      causes_.last_index = entry->second;
    }
    causes_.indices.push_back(causes_.last_index);
  }
}

void EventColumns::Write(Kind& kind) {
  for (Column& column : kind.columns) Write(column);
  if (kind.layout->list_column == nullptr) return;
  WriteColumn(kind.list.values, *kind.list.written);
  kind.list.values.clear();
  kind.list.number_before = 0;
}

void EventColumns::WriteCauses() {
  std::vector<const void*>& causes = causes_.kind.records;
  pb::WakeColumns& wakes = *message_.mutable_wakes();
  WriteColumn(causes_.indices, *wakes.mutable_cause());
  wakes.mutable_causes()->set_count(static_cast<uint32_t>(causes.size()));
  for (Column& column : causes_.kind.columns) {
    CollectNumbers(column, causes);
    Write(column);
  }
  causes.clear();
  causes_.indices.clear();
  causes_.index_of.clear();
}

// And forgets the collected values.
void EventColumns::Write(Column& column) {
  const EventField& field = column.layout->first();
  if (field.coding == Coding::kThread) threads_.SlotsToCodes(column.values);
  if (column.written_texts != nullptr) column.texts.MoveTo(*column.written_texts);
  if (column.layout->follows_flag != nullptr) {
    const bool follows = !column.values.empty();
    column.message->GetReflection()->SetBool(column.message, column.layout->follows_flag, follows);
    if (follows) version_ = kBlockVersion;
    column.follower.Clear();
  }
  if (column.written != nullptr) {
    WriteColumn(column.values, *column.written);
  } else if (field.coding == Coding::kAddress) {
    column.message->GetReflection()->SetString(column.message, column.layout->column, column.bytes);
  } else if (std::all_of(column.values.begin(), column.values.end(),
                         [](uint64_t value) { return value == 0; })) {
    column.message->GetReflection()->ClearField(column.message, column.layout->column);
  } else {
    WriteColumn(column.values, MutablePart<pb::Column>(*column.message, column.layout->column));
  }
  column.values.clear();
  column.bytes.clear();
  column.number_before = 0;
}

}  // namespace gordian
