// SPDX-License-Identifier: Apache-2.0
// Numbers in messages whose kind is only known when they are there. Inner to the room.
#pragma once

#include <cstdint>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace gordian {

bool IsNumber(const google::protobuf::FieldDescriptor& field);  // a whole one, or a bool
bool IsText(const google::protobuf::FieldDescriptor& field);
// Whose records have single numbers and texts alone.
bool IsListOfRecords(const google::protobuf::FieldDescriptor& field);
bool IsListOfNumbers(const google::protobuf::FieldDescriptor& field);

// As 64 bits, whatever the field's size and sign.
uint64_t NumberOf(const google::protobuf::Message& record,
                  const google::protobuf::FieldDescriptor& field);
void SetNumber(uint64_t value, const google::protobuf::FieldDescriptor& field,
               google::protobuf::Message& record);
// Of a list of numbers.
uint64_t ListedNumber(const google::protobuf::Message& message,
                      const google::protobuf::FieldDescriptor& list, int place);
void AddListed(uint64_t value, const google::protobuf::FieldDescriptor& list,
               google::protobuf::Message& message);

}  // namespace gordian
