// SPDX-License-Identifier: Apache-2.0
#include "trace/column_layout.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "schema/trace.pb.h"

namespace gordian {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

const FieldDescriptor* Find(const Descriptor& message, const char* name) {
  const FieldDescriptor* found = message.FindFieldByName(name);
  if (found == nullptr) {
    std::fprintf(stderr, "trace.proto: %s has no %s, which the event schema names\n",
                 message.name().c_str(), name);
    std::abort();
  }
  return found;
}

void Add(const EventField& field, const Descriptor& message, std::vector<ColumnLayout>& columns) {
  const FieldDescriptor* column = Find(message, field.column);
  const auto shared = std::find_if(columns.begin(), columns.end(), [&](const ColumnLayout& layout) {
    return layout.column == column;
  });
  if (shared != columns.end()) {
    shared->fields.push_back(&field);
    return;
  }
  const auto find_if_named = [&](const char* name) {
    return name == nullptr ? nullptr : Find(message, name);
  };
  columns.push_back({.column = column,
                     .fields = {&field},
                     .texts = find_if_named(field.texts),
                     .follows_flag = find_if_named(field.follows_flag)});
}

KindLayout LayoutOf(const EventSchema& schema) {
  KindLayout layout{.schema = &schema,
                    .message = Find(*pb::EventBlock::descriptor(), schema.message)};
  const Descriptor& message = *layout.message->message_type();
  for (const EventField& field : schema.fields) {
    if (!field.is_stored()) continue;
    if (field.in_causes) {
      Add(field, *pb::WakeCauses::descriptor(), layout.cause_columns);
    } else {
      Add(field, message, layout.columns);
    }
  }
  if (schema.list_column != nullptr) layout.list_column = Find(message, schema.list_column);
  return layout;
}

}  // namespace

const std::vector<KindLayout>& EventLayout() {
  static const auto& layout = *new std::vector<KindLayout>([] {
    std::vector<KindLayout> kinds;
    for (const EventSchema& schema : EventSchemas()) kinds.push_back(LayoutOf(schema));
    return kinds;
  }());
  return layout;
}

}  // namespace gordian
