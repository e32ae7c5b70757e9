// SPDX-License-Identifier: Apache-2.0
// Where in a pb::EventBlock the fields of the event schema stand: looked up once, by the names that
// trace.proto gives them.
#pragma once

#include <google/protobuf/descriptor.h>

#include <vector>

#include "trace/event_schema.h"

namespace gordian {

// So many events are encoded or decoded at a time: with their columns they fit a processor's cache.
inline constexpr size_t kWindowEvents = 512;

struct ColumnLayout {
  const google::protobuf::FieldDescriptor* column = nullptr;
  std::vector<const EventField*> fields;  // that share it; just one, unless they are plain numbers
  const google::protobuf::FieldDescriptor* texts = nullptr;
  const google::protobuf::FieldDescriptor* follows_flag = nullptr;

  const EventField& first() const { return *fields.front(); }
  bool has_names() const { return first().coding == Coding::kName || first().name_if != nullptr; }
};

struct KindLayout {
  const EventSchema* schema = nullptr;
  const google::protobuf::FieldDescriptor* message = nullptr;
  std::vector<ColumnLayout> columns;
  std::vector<ColumnLayout> cause_columns;  // of wakes, in pb::WakeCauses
  const google::protobuf::FieldDescriptor* list_column = nullptr;
};

// In the order of EventSchemas. Aborts if a column of the schema does not stand in trace.proto.
const std::vector<KindLayout>& EventLayout();

}  // namespace gordian
