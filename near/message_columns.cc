// SPDX-License-Identifier: Apache-2.0
// A list is: how deep it lies, the numbers of the fields that lead there; how many records, how
// many columns; for each column the number of its field, how its values are told, its bytes. Of a
// list of numbers there is one column, without a number of a field.
#include "near/message_columns.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "near/message_fields.h"
#include "near/varints.h"

namespace gordian {
namespace {

using ProtoField = google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using ProtoReflection = google::protobuf::Reflection;
using Numbers = std::vector<uint64_t>;
using Path = std::vector<int>;

// Deeper ones stay in the message.
constexpr size_t kDeepest = 8;
constexpr int kOfNumbers = 0;

// How a column's values are told.
enum class Told : uint8_t {
  kAsTheyAre,
  kFromRecordBefore,
  kFromColumnBefore,  // by how much more it differs from that than in the record before
  kOnce,              // all are the same
  kText,
};

// Small numbers of either sign are small.
uint64_t ZigZag(uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
uint64_t UnZigZag(uint64_t told) { return (told >> 1) ^ (0 - (told & 1)); }

absl::Status Malformed() { return absl::DataLossError("a list of an answer does not check"); }

// Sums and differences wrap around: any 64 bits come back as they were.
std::string ColumnAs(Told told, const Numbers& values, const Numbers& before) {
  std::string bytes;
  uint64_t last = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t value = told == Told::kFromColumnBefore ? values[i] - before[i] : values[i];
    AppendVarint(told == Told::kAsTheyAre ? value : ZigZag(value - last), bytes);
    last = value;
  }
  return bytes;
}

absl::Status ReadColumn(Told told, std::string_view bytes, const Numbers& before, Numbers& values) {
  if (told == Told::kFromColumnBefore && before.size() != values.size()) return Malformed();
  uint64_t last = 0;
  if (told == Told::kOnce) {
    const auto once = TakeVarint(bytes);
    if (!once) return Malformed();
    std::fill(values.begin(), values.end(), *once);
    return bytes.empty() ? absl::OkStatus() : Malformed();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto one = TakeVarint(bytes);
    if (!one) return Malformed();
    last = told == Told::kAsTheyAre ? *one : last + UnZigZag(*one);
    values[i] = told == Told::kFromColumnBefore ? last + before[i] : last;
  }
  return bytes.empty() ? absl::OkStatus() : Malformed();
}

void AppendColumn(int field, Told told, const std::string& bytes, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field), out);
  AppendVarint(static_cast<uint64_t>(told), out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

// `before`: of the column of numbers that came last; then this one. A list's first column tells how
// many records there may be, by its bytes, so it is always told in full.
void AppendNumbers(int field, Numbers values, Numbers& before, std::string& out) {
  const bool are_same =
      std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
  if (!before.empty() && are_same) {
    std::string once;
    AppendVarint(values.front(), once);
    AppendColumn(field, Told::kOnce, once, out);
    before = std::move(values);
    return;
  }
  Told best = Told::kAsTheyAre;
  std::string bytes = ColumnAs(best, values, before);
  for (const Told told : {Told::kFromRecordBefore, Told::kFromColumnBefore}) {
    if (told == Told::kFromColumnBefore && before.empty()) continue;
    std::string other = ColumnAs(told, values, before);
    if (other.size() >= bytes.size()) continue;
    best = told;
    bytes = std::move(other);
  }
  AppendColumn(field, best, bytes, out);
  before = std::move(values);
}

void BeginList(const Path& path, size_t records, int columns, std::string& out) {
  AppendVarint(path.size(), out);
  for (const int number : path) AppendVarint(static_cast<uint64_t>(number), out);
  AppendVarint(records, out);
  AppendVarint(static_cast<uint64_t>(columns), out);
}

void AppendRecords(const ProtoMessage& message, const ProtoField& list, const Path& path,
                   std::string& out) {
  const ProtoReflection& all = *message.GetReflection();
  const int count = all.FieldSize(message, &list);
  const auto& record = *list.message_type();
  BeginList(path, static_cast<size_t>(count), record.field_count(), out);
  Numbers before;
  for (int column = 0; column < record.field_count(); ++column) {
    const ProtoField& field = *record.field(column);
    Numbers values;
    std::string texts;
    for (int i = 0; i < count; ++i) {
      const ProtoMessage& one = all.GetRepeatedMessage(message, &list, i);
      if (IsNumber(field)) {
        values.push_back(NumberOf(one, field));
      } else {
        const std::string text = one.GetReflection()->GetString(one, &field);
        AppendVarint(text.size(), texts);
        texts += text;
      }
    }
    if (IsNumber(field)) {
      AppendNumbers(field.number(), std::move(values), before, out);
    } else {
      AppendColumn(field.number(), Told::kText, texts, out);
    }
  }
}

void AppendListOfNumbers(const ProtoMessage& message, const ProtoField& list, const Path& path,
                         std::string& out) {
  Numbers values;
  const int count = message.GetReflection()->FieldSize(message, &list);
  for (int i = 0; i < count; ++i) values.push_back(ListedNumber(message, list, i));
  BeginList(path, values.size(), 1, out);
  Numbers none;
  AppendNumbers(kOfNumbers, std::move(values), none, out);
}

void TakeFrom(ProtoMessage& message, Path& path, std::string& out) {
  const ProtoReflection& all = *message.GetReflection();
  std::vector<const ProtoField*> fields;
  all.ListFields(message, &fields);
  for (const ProtoField* field : fields) {
    path.push_back(field->number());
    if (IsListOfRecords(*field)) {
      AppendRecords(message, *field, path, out);
      all.ClearField(&message, field);
    } else if (IsListOfNumbers(*field)) {
      AppendListOfNumbers(message, *field, path, out);
      all.ClearField(&message, field);
    } else if (!field->is_repeated() && field->message_type() != nullptr &&
               path.size() < kDeepest) {
      TakeFrom(*all.MutableMessage(&message, field), path, out);
    }
    path.pop_back();
  }
}

// The message that has the list, and the list; null: this version does not know it.
struct FoundList {
  ProtoMessage* message = nullptr;
  const ProtoField* list = nullptr;
};
FoundList FindList(std::span<const uint64_t> path, ProtoMessage& message) {
  ProtoMessage* at = &message;
  for (size_t i = 0; i < path.size(); ++i) {
    const bool is_number = path[i] <= ProtoField::kMaxNumber;
    const ProtoField* field =
        is_number ? at->GetDescriptor()->FindFieldByNumber(static_cast<int>(path[i])) : nullptr;
    if (field == nullptr) return {};
    if (i + 1 == path.size())
      return IsListOfRecords(*field) || IsListOfNumbers(*field) ? FoundList{at, field}
                                                                : FoundList{};
    if (field->is_repeated() || field->message_type() == nullptr) return {};
    at = at->GetReflection()->MutableMessage(at, field);
  }
  return {};
}

absl::Status SetTexts(std::string_view bytes, std::span<ProtoMessage* const> records,
                      const ProtoField* field) {
  for (ProtoMessage* const record : records) {
    const auto length = TakeVarint(bytes);
    if (!length || *length > bytes.size()) return Malformed();
    if (field != nullptr && IsText(*field))
      record->GetReflection()->SetString(
          record, field, std::string(bytes.substr(0, static_cast<size_t>(*length))));
    bytes.remove_prefix(static_cast<size_t>(*length));
  }
  return bytes.empty() ? absl::OkStatus() : Malformed();
}

class ListReader {
 public:
  ListReader(std::string_view& left, ProtoMessage& message) : left_(left), message_(message) {}

  absl::Status Read() {
    std::array<uint64_t, kDeepest> path = {};
    uint64_t depth = 0;
    if (!Take(depth) || depth == 0 || depth > path.size()) return Malformed();
    for (size_t i = 0; i < depth; ++i)
      if (!Take(path[i])) return Malformed();
    uint64_t columns = 0;
    if (!Take(count_) || !Take(columns) || columns == 0) return Malformed();
    found_ = FindList(std::span(path).first(static_cast<size_t>(depth)), message_);
    for (uint64_t column = 0; column < columns; ++column)
      if (absl::Status status = ReadOne(); !status.ok()) return status;
    return absl::OkStatus();
  }

 private:
  bool Take(uint64_t& value) {
    const auto taken = TakeVarint(left_);
    value = taken.value_or(0);
    return taken.has_value();
  }

  absl::Status ReadOne() {
    uint64_t number = 0;
    uint64_t told = 0;
    uint64_t length = 0;
    if (!Take(number) || !Take(told) || !Take(length) || length > left_.size() ||
        told > static_cast<uint64_t>(Told::kText) || number > ProtoField::kMaxNumber)
      return Malformed();
    // Each record takes a byte of the first column.
    const bool is_in_full = told != static_cast<uint64_t>(Told::kOnce) && count_ <= length;
    if (!is_in_full && !has_begun_) return Malformed();
    has_begun_ = true;
    const std::string_view bytes = left_.substr(0, static_cast<size_t>(length));
    left_.remove_prefix(static_cast<size_t>(length));
    AddRecords();
    const auto how = static_cast<Told>(told);
    const ProtoField* const field = FieldOf(static_cast<int>(number));
    if (how == Told::kText) return SetTexts(bytes, records_, field);
    Numbers values(static_cast<size_t>(count_));
    if (absl::Status status = ReadColumn(how, bytes, before_, values); !status.ok()) return status;
    SetNumbers(values, field);
    before_ = std::move(values);
    return absl::OkStatus();
  }

  bool IsOfRecords() const { return found_.list != nullptr && IsListOfRecords(*found_.list); }

  // Once it is known that the bytes for them are there.
  void AddRecords() {
    if (!IsOfRecords() || !records_.empty()) return;
    const ProtoReflection& all = *found_.message->GetReflection();
    for (uint64_t i = 0; i < count_; ++i)
      records_.push_back(all.AddMessage(found_.message, found_.list));
  }
  const ProtoField* FieldOf(int number) const {
    return IsOfRecords() ? found_.list->message_type()->FindFieldByNumber(number) : nullptr;
  }
  void SetNumbers(const Numbers& values, const ProtoField* field) {
    if (IsOfRecords()) {
      for (size_t i = 0; field != nullptr && IsNumber(*field) && i < values.size(); ++i)
        SetNumber(values[i], *field, *records_[i]);
    } else if (found_.list != nullptr) {
      for (const uint64_t value : values) AddListed(value, *found_.list, *found_.message);
    }
  }

  std::string_view& left_;
  ProtoMessage& message_;
  uint64_t count_ = 0;
  bool has_begun_ = false;
  FoundList found_;
  std::vector<ProtoMessage*> records_;
  Numbers before_;
};

}  // namespace

void TakeColumns(ProtoMessage& message, std::string& columns) {
  Path path;
  TakeFrom(message, path, columns);
}

absl::Status AddColumns(std::string_view columns, ProtoMessage& message) {
  while (!columns.empty())
    if (absl::Status status = ListReader(columns, message).Read(); !status.ok()) return status;
  return absl::OkStatus();
}

}  // namespace gordian
