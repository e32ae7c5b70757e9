// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "trace/event_schema.h"

namespace gordian {

std::string NumberText(const EventField& field, const void* record) {
  const uint64_t number = field.member.get(record);
  if (field.member.type == MemberType::kOptional) return absl::StrCat(number - 1);
  if (field.member.type == MemberType::kSigned) return absl::StrCat(static_cast<int64_t>(number));
  if (field.hex) return absl::StrCat("0x", absl::Hex(number));
  return absl::StrCat(number);
}

namespace {

std::string Quoted(const EventField& field, const std::string& text) {
  return text.empty() ? "" : absl::StrCat(" ", field.name, "=\"", text, "\"");
}

std::string ListText(const EventField& field, const void* record) {
  std::string text;
  for (const uint64_t number : field.member.ListOf(record))
    absl::StrAppend(&text, text.empty() ? " " : ",", text.empty() ? field.name : "",
                    text.empty() ? "=" : "", "0x", absl::Hex(number));
  return text;
}

std::string AddressText(const EventField& field, const void* record) {
  const AddressBytes& address = field.member.AddressOf(record);
  if (address == AddressBytes{}) return "";
  std::string text = absl::StrCat(" ", field.name, "=");
  for (const uint8_t byte : address) absl::StrAppend(&text, absl::Hex(byte, absl::kZeroPad2));
  return text;
}

std::string FieldText(const EventField& field, const void* record, const EventBlock& block) {
  switch (field.member.type) {
    case MemberType::kNone:
      return "";
    case MemberType::kText:
      return Quoted(field, field.member.TextOf(record));
    case MemberType::kAddress:
      return AddressText(field, record);
    case MemberType::kList:
      return ListText(field, record);
    default:
      break;
  }
  const uint64_t number = field.member.get(record);
  if (field.word) {
    const std::string word = field.word(number);
    return word.empty() ? "" : absl::StrCat(" ", word);
  }
  if (number == 0) return "";
  if (field.IsNameOf(record))
    return Quoted(field, number < block.names.size() ? block.names[number] : "out of range");
  if (field.member.type == MemberType::kBool) return absl::StrCat(" ", field.name);
  return absl::StrCat(" ", field.name, "=", NumberText(field, record));
}

}  // namespace

std::string FieldsText(const TraceEvent& event, const EventBlock& block) {
  const EventSchema* schema = FindSchema(event.kind);
  if (schema == nullptr) return " of an unknown kind";
  const void* record = RecordOf(event, block);
  if (record == nullptr) return " out of range";
  std::string text;
  for (const EventField& field : schema->fields)
    if (field.is_stored()) text += FieldText(field, record, block);
  return text;
}

}  // namespace gordian
