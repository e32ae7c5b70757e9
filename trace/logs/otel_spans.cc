// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/otel_spans.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "trace/logs/decimal_time.h"
#include "trace/logs/json_stream.h"

namespace gordian {
namespace {

enum class Field {
  kOther,
  kResourceGroup,  // one element of resourceSpans
  kResourceAttribute,
  kResourceKey,
  kResourceValue,
  kSpan,
  kTraceId,
  kSpanId,
  kParentId,
  kName,
  kStart,
  kEnd,
  kLink,
  kLinkTraceId,
  kLinkSpanId,
  kAttribute,
  kAttributeKey,
  kAttributeValue,
};

const absl::flat_hash_map<std::string, Field>& FieldsByPath() {
  static const auto* fields = [] {
    auto* map = new absl::flat_hash_map<std::string, Field>();
    (*map)["resourceSpans"] = Field::kResourceGroup;
    (*map)["resourceSpans.resource.attributes"] = Field::kResourceAttribute;
    (*map)["resourceSpans.resource.attributes.key"] = Field::kResourceKey;
    for (const char* value : {"stringValue", "intValue"})
      (*map)[std::string("resourceSpans.resource.attributes.value.") + value] =
          Field::kResourceValue;
    // The second is the first's name until 2022.
    for (const char* scope : {"scopeSpans", "instrumentationLibrarySpans"}) {
      const std::string span = std::string("resourceSpans.") + scope + ".spans";
      (*map)[span] = Field::kSpan;
      (*map)[span + ".traceId"] = Field::kTraceId;
      (*map)[span + ".spanId"] = Field::kSpanId;
      (*map)[span + ".parentSpanId"] = Field::kParentId;
      (*map)[span + ".name"] = Field::kName;
      (*map)[span + ".startTimeUnixNano"] = Field::kStart;
      (*map)[span + ".endTimeUnixNano"] = Field::kEnd;
      (*map)[span + ".links"] = Field::kLink;
      (*map)[span + ".links.traceId"] = Field::kLinkTraceId;
      (*map)[span + ".links.spanId"] = Field::kLinkSpanId;
      (*map)[span + ".attributes"] = Field::kAttribute;
      (*map)[span + ".attributes.key"] = Field::kAttributeKey;
      (*map)[span + ".attributes.value.stringValue"] = Field::kAttributeValue;
      (*map)[span + ".attributes.value.intValue"] = Field::kAttributeValue;
    }
    return map;
  }();
  return *fields;
}

int32_t IdOf(std::string_view text) {
  int32_t id = 0;
  return absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &id) && id > 0 ? id : 0;
}

class SpanHandler : public NumbersAsText {
 public:
  explicit SpanHandler(OtelSink& sink) : sink_(sink) {}

  bool Null() { return Value({}); }
  bool Bool(bool /*value*/) { return Value({}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size});
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    path_.resize(levels_.back());
    if (!path_.empty()) path_ += '.';
    path_.append(text, size);
    return path_.size() <= kMaxPathBytes;
  }
  bool StartObject() {
    if (!Start()) return false;
    const Field field = Where();
    if (field == Field::kSpan) {
      span_ = {};
      trace_id_.clear();
      span_id_.clear();
      parent_id_.clear();
    }
    if (field == Field::kAttribute || field == Field::kResourceAttribute)
      attribute_.clear(), attribute_value_.clear();
    if (field == Field::kLink) link_trace_id_.clear(), link_span_id_.clear();
    if (field == Field::kResourceGroup) place_ = {};
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    End();
    const Field field = Where();
    if (field == Field::kSpan) FinishSpan();
    if (field == Field::kAttribute && attribute_ == "thread.id") span_.tid = IdOf(attribute_value_);
    if (field == Field::kResourceAttribute) FinishResourceAttribute();
    if (field == Field::kLink && !link_span_id_.empty())
      span_.links.push_back(link_trace_id_ + "/" + link_span_id_);
    if (field == Field::kResourceGroup) sink_.PlaceSpans(place_);
    return true;
  }
  bool StartArray() { return !levels_.empty() && Start(); }
  bool EndArray(rapidjson::SizeType /*elements*/) { return End(); }

 private:
  static constexpr size_t kMaxDepth = 100;
  static constexpr size_t kMaxPathBytes = 4096;

  // Elements of arrays have their array's path.
  Field Where() const {
    const auto found = FieldsByPath().find(path_);
    return found == FieldsByPath().end() ? Field::kOther : found->second;
  }
  bool Start() {
    levels_.push_back(path_.size());
    return levels_.size() <= kMaxDepth;
  }
  bool End() {
    path_.resize(levels_.back());
    levels_.pop_back();
    return true;
  }

  bool Value(std::string_view text) {
    if (levels_.empty()) return false;
    switch (Where()) {
      case Field::kResourceKey:
      case Field::kAttributeKey:
        attribute_.assign(text);
        break;
      case Field::kResourceValue:
      case Field::kAttributeValue:
        attribute_value_.assign(text);
        break;
      case Field::kTraceId:
        trace_id_.assign(text);
        break;
      case Field::kSpanId:
        span_id_.assign(text);
        break;
      case Field::kParentId:
        parent_id_.assign(text);
        break;
      case Field::kLinkTraceId:
        link_trace_id_.assign(text);
        break;
      case Field::kLinkSpanId:
        link_span_id_.assign(text);
        break;
      case Field::kName:
        span_.name.assign(text);
        break;
      case Field::kStart:
        span_.start_ns = ParseDecimalNs(text, 1).value_or(0);
        break;
      case Field::kEnd:
        span_.end_ns = ParseDecimalNs(text, 1).value_or(0);
        break;
      default:
        break;
    }
    return true;
  }

  void FinishSpan() {
    if (!span_id_.empty()) span_.id = trace_id_ + "/" + span_id_;
    const bool none = parent_id_.find_first_not_of('0') == std::string::npos;
    if (!none) span_.parent_id = trace_id_ + "/" + parent_id_;
    sink_.AddSpan(std::exchange(span_, {}));
  }

  void FinishResourceAttribute() {
    if (attribute_ == "host.name" || attribute_ == "k8s.node.name") place_.node = attribute_value_;
    if (attribute_ == "service.name") place_.service = attribute_value_;
    if (attribute_ == "service.instance.id") place_.instance = attribute_value_;
    if (attribute_ == "process.pid") place_.pid = IdOf(attribute_value_);
  }

  OtelSink& sink_;
  std::string path_;
  std::vector<size_t> levels_;  // how long the path is outside each object and array
  OtelSpan span_;
  std::string trace_id_, span_id_, parent_id_, link_trace_id_, link_span_id_;
  std::string attribute_, attribute_value_;
  OtelPlace place_;
};

}  // namespace

absl::Status ReadOtelSpans(LogBytes& bytes, OtelSink& sink) {
  JsonStream stream(bytes);
  return ParseJsonDocuments(
      stream, [&] { return SpanHandler(sink); },
      [&](uint64_t line) {
        sink.PlaceSpans({});  // of those before the damage nothing more will be told
        return sink.Damaged(line, stream.at_end());
      });
}

}  // namespace gordian
