// SPDX-License-Identifier: Apache-2.0
#include "near/message_fields.h"

namespace gordian {

using ProtoField = google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using ProtoReflection = google::protobuf::Reflection;

bool IsNumber(const ProtoField& field) {
  using enum ProtoField::CppType;
  const auto type = field.cpp_type();
  return type == CPPTYPE_UINT32 || type == CPPTYPE_UINT64 || type == CPPTYPE_INT32 ||
         type == CPPTYPE_INT64 || type == CPPTYPE_BOOL;
}
bool IsText(const ProtoField& field) { return field.cpp_type() == ProtoField::CPPTYPE_STRING; }

namespace {
// Whether its records have single numbers and texts alone, all of which are always there.
bool IsFlat(const google::protobuf::Descriptor& record) {
  for (int i = 0; i < record.field_count(); ++i) {
    const ProtoField& field = *record.field(i);
    if (field.is_repeated() || field.has_presence() || (!IsNumber(field) && !IsText(field)))
      return false;
  }
  return record.field_count() > 0;
}
}  // namespace

bool IsListOfRecords(const ProtoField& field) {
  return field.is_repeated() && !field.is_map() && field.message_type() != nullptr &&
         IsFlat(*field.message_type());
}
bool IsListOfNumbers(const ProtoField& field) { return field.is_repeated() && IsNumber(field); }

uint64_t NumberOf(const ProtoMessage& record, const ProtoField& field) {
  const ProtoReflection& all = *record.GetReflection();
  switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_UINT32:
      return all.GetUInt32(record, &field);
    case ProtoField::CPPTYPE_UINT64:
      return all.GetUInt64(record, &field);
    case ProtoField::CPPTYPE_INT32:
      return static_cast<uint64_t>(int64_t{all.GetInt32(record, &field)});
    case ProtoField::CPPTYPE_INT64:
      return static_cast<uint64_t>(all.GetInt64(record, &field));
    default:
      return all.GetBool(record, &field) ? 1 : 0;
  }
}

void SetNumber(uint64_t value, const ProtoField& field, ProtoMessage& record) {
  const ProtoReflection& all = *record.GetReflection();
  switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_UINT32:
      return all.SetUInt32(&record, &field, static_cast<uint32_t>(value));
    case ProtoField::CPPTYPE_UINT64:
      return all.SetUInt64(&record, &field, value);
    case ProtoField::CPPTYPE_INT32:
      return all.SetInt32(&record, &field, static_cast<int32_t>(value));
    case ProtoField::CPPTYPE_INT64:
      return all.SetInt64(&record, &field, static_cast<int64_t>(value));
    default:
      return all.SetBool(&record, &field, value != 0);
  }
}

uint64_t ListedNumber(const ProtoMessage& message, const ProtoField& field, int place) {
  const ProtoReflection& all = *message.GetReflection();
  switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_UINT32:
      return all.GetRepeatedUInt32(message, &field, place);
    case ProtoField::CPPTYPE_UINT64:
      return all.GetRepeatedUInt64(message, &field, place);
    case ProtoField::CPPTYPE_INT32:
      return static_cast<uint64_t>(int64_t{all.GetRepeatedInt32(message, &field, place)});
    case ProtoField::CPPTYPE_INT64:
      return static_cast<uint64_t>(all.GetRepeatedInt64(message, &field, place));
    default:
      return all.GetRepeatedBool(message, &field, place) ? 1 : 0;
  }
}

void AddListed(uint64_t value, const ProtoField& field, ProtoMessage& message) {
  const ProtoReflection& all = *message.GetReflection();
  switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_UINT32:
      return all.AddUInt32(&message, &field, static_cast<uint32_t>(value));
    case ProtoField::CPPTYPE_UINT64:
      return all.AddUInt64(&message, &field, value);
    case ProtoField::CPPTYPE_INT32:
      return all.AddInt32(&message, &field, static_cast<int32_t>(value));
    case ProtoField::CPPTYPE_INT64:
      return all.AddInt64(&message, &field, static_cast<int64_t>(value));
    default:
      return all.AddBool(&message, &field, value != 0);
  }
}

}  // namespace gordian
