// SPDX-License-Identifier: Apache-2.0
#include "cli/event_json.h"

#include "cli/field_words.h"
#include "trace/event_schema.h"

namespace gordian {
namespace {

class Fields {
 public:
  Fields(const EventBlock& block, const SessionNames& names, JsonWriter& json)
      : block_(block), names_(names), json_(json) {}

  void Add(const EventField& field, const void* record) {
    if (const auto words = FieldWords(field, record, block_, names_)) {
      if (!words->empty() || field.named_by == NamedBy::kNothing) json_.String(field.name, *words);
      return;
    }
    switch (field.member.type) {
      case MemberType::kBool:
        json_.Bool(field.name, field.member.get(record) != 0);
        break;
      case MemberType::kUnsigned:
        json_.Number(field.name, field.member.get(record));
        break;
      case MemberType::kSigned:
        json_.Signed(field.name, static_cast<int64_t>(field.member.get(record)));
        break;
      case MemberType::kOptional:
        json_.Number(field.name, field.member.get(record) - 1);
        break;
      case MemberType::kText:
        json_.String(field.name, field.member.TextOf(record));
        break;
      case MemberType::kList:
        json_.Key(field.name).BeginArray();
        for (const uint64_t number : field.member.ListOf(record)) json_.Number(number);
        json_.EndArray();
        break;
      case MemberType::kNone:
      case MemberType::kAddress:
        break;
    }
    if (field.coding == Coding::kThread) AddComm(field, record);
  }

 private:
  // The name beside waker_tid is waker_comm.
  void AddComm(const EventField& field, const void* record) {
    constexpr std::string_view kTid = "tid";
    std::string key(field.name);
    key.replace(key.size() - kTid.size(), kTid.size(), "comm");
    json_.String(key, names_.Comm(static_cast<int32_t>(field.member.get(record))));
  }

  const EventBlock& block_;
  const SessionNames& names_;
  JsonWriter& json_;
};

}  // namespace

void AppendEventJson(const TraceEvent& event, const EventBlock& block, const SessionNames& names,
                     uint64_t start_time_ns, JsonWriter& json, std::string& out) {
  json.Reset();
  json.BeginObject();
  json.Number("time_ns", event.time_ns);
  json.Signed("since_start_ns", static_cast<int64_t>(event.time_ns - start_time_ns));
  json.Signed("cpu", event.cpu == kNoCpu ? -1 : int64_t{event.cpu});
  json.String("kind", EventKindName(event.kind));
  const EventSchema* schema = FindSchema(event.kind);
  const void* record = RecordOf(event, block);
  Fields fields(block, names, json);
  if (record != nullptr) {
    for (const EventField& field : schema->fields)
      if (field.IsShown(record)) fields.Add(field, record);
  }
  json.EndObject();
  out += json.text();
  out += '\n';
}

}  // namespace gordian
