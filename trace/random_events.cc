// SPDX-License-Identifier: Apache-2.0
#include "trace/random_events.h"

#include "absl/strings/str_cat.h"
#include "trace/event_schema.h"

namespace gordian {
namespace {

constexpr size_t kLongestList = 8;

// Small values, which the codec makes short, as well as any.
uint64_t AnyUnsigned(uint8_t bits) {
  const uint64_t max = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  return *rc::gen::oneOf(rc::gen::arbitrary<uint64_t>(), rc::gen::inRange<uint64_t>(0, 100),
                         rc::gen::elementOf(std::vector<uint64_t>{0, max, 255, 256})) &
         max;
}

// Mostly one of a few threads.
int32_t AnyTid() {
  return *rc::gen::weightedOneOf<int32_t>(
      {{8, rc::gen::inRange<int32_t>(0, 600)}, {1, rc::gen::arbitrary<int32_t>()}});
}

uint64_t AnyNumber(const EventField& field) {
  if (field.max != UINT64_MAX) {
    const auto in_range = rc::gen::inRange<uint64_t>(field.min, field.max + 1);
    return field.accepts ? *rc::gen::suchThat(in_range, field.accepts) : *in_range;
  }
  if (field.member.type == MemberType::kSigned) return static_cast<uint64_t>(int64_t{AnyTid()});
  return AnyUnsigned(field.member.bits);
}

void SetAny(const EventField& field, void* record, EventBlock& block) {
  switch (field.member.type) {
    case MemberType::kNone:
      return;
    case MemberType::kText:
      *field.member.text(record) = *rc::gen::arbitrary<std::string>();
      return;
    case MemberType::kAddress:
      for (uint8_t& byte : *field.member.address(record)) byte = *rc::gen::arbitrary<uint8_t>();
      return;
    case MemberType::kList:
      field.member.list(record)->resize(*rc::gen::inRange<size_t>(0, kLongestList));
      for (uint64_t& number : *field.member.list(record)) number = AnyUnsigned(64);
      return;
    default:
      break;
  }
  field.member.set(record, field.IsNameOf(record)
                               ? block.InternName(*rc::gen::arbitrary<std::string>())
                               : AnyNumber(field));
}

void AddAny(const EventSchema& schema, uint64_t time_ns, EventBlock& block) {
  TraceEvent event{.time_ns = time_ns, .kind = schema.kind, .cpu = block.cpu};
  void* record = &event.sched_switch;  // or another value that stands there
  if (schema.has_table()) {
    const size_t index = schema.table.size(block);
    schema.table.resize(block, index + 1);
    event.task = TableRef{static_cast<uint32_t>(index)};
    record = schema.table.at(block, index);
  }
  for (const EventField& field : schema.fields) {
    if (!field.is_stored() || (field.stored_if && !field.stored_if(record))) continue;
    SetAny(field, record, block);
  }
  block.events.push_back(event);
}

}  // namespace

rc::Gen<EventBlock> AnyEventBlock() {
  return rc::gen::exec([] {
    EventBlock block;
    block.cpu = *rc::gen::arbitrary<uint16_t>();
    uint64_t time_ns = AnyUnsigned(64);
    const auto kinds = *rc::gen::container<std::vector<size_t>>(
        rc::gen::inRange<size_t>(0, EventSchemas().size()));
    for (const size_t kind : kinds) {
      // Mostly forwards by little, sometimes anywhere.
      time_ns = *rc::gen::weightedOneOf<uint64_t>(
          {{6, rc::gen::map(rc::gen::inRange<uint64_t>(0, 5000),
                            [time_ns](uint64_t step) { return time_ns + step; })},
           {2, rc::gen::map(rc::gen::inRange<uint64_t>(0, 2000),
                            [time_ns](uint64_t step) { return time_ns - step; })},
           {1, rc::gen::arbitrary<uint64_t>()}});
      AddAny(EventSchemas()[kind], time_ns, block);
    }
    return block;
  });
}

std::vector<std::string> Describe(const EventBlock& block) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : block.events) {
    lines.push_back(absl::StrCat(block.cpu, " ", event.cpu, " ", event.time_ns, " ",
                                 EventKindName(event.kind), FieldsText(event, block)));
  }
  return lines;
}

}  // namespace gordian
