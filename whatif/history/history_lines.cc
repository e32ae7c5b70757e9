// SPDX-License-Identifier: Apache-2.0
// Scores as lines of JSON.
#include <google/protobuf/descriptor.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "whatif/history/history.h"
#include "whatif/history/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Reflection;

constexpr uint32_t kHistoryVersion = 1;

absl::Status NoScore(const char* why) { return absl::InvalidArgumentError(why); }

bool IsGain(double value) { return std::isfinite(value) && value > 0 && value < kMostBelievedGain; }

// The field's type decides; a value of another type is left out.
void TakeValue(const rapidjson::Value& value, const FieldDescriptor* field,
               pb::PredictionScore& score) {
  const Reflection& values = *score.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      if (value.IsString())
        values.SetString(&score, field, CleanText({value.GetString(), value.GetStringLength()}));
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      if (value.IsNumber()) values.SetDouble(&score, field, value.GetDouble());
      return;
    case FieldDescriptor::CPPTYPE_BOOL:
      if (value.IsBool()) values.SetBool(&score, field, value.GetBool());
      return;
    default:
      if (value.IsUint()) values.SetUInt32(&score, field, value.GetUint());
  }
}

}  // namespace

std::string LineOfScore(const pb::PredictionScore& score) {
  rapidjson::StringBuffer text;
  rapidjson::Writer writer(text);
  writer.StartObject();
  for (int i = 0; i < pb::PredictionScore::descriptor()->field_count(); ++i) {
    const FieldDescriptor* field = pb::PredictionScore::descriptor()->field(i);
    const Reflection& values = *score.GetReflection();
    writer.Key(std::string(field->name()).c_str());
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING: {
        // A path of thousands of characters would make a line that nobody reads back.
        std::string value = CleanText(values.GetString(score, field));
        if (value.size() > kMostTextBytes) value = CleanText(value.substr(0, kMostTextBytes));
        writer.String(value.c_str());
        break;
      }
      case FieldDescriptor::CPPTYPE_DOUBLE:
        writer.Double(std::isfinite(values.GetDouble(score, field)) ? values.GetDouble(score, field)
                                                                    : 0);
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        writer.Bool(values.GetBool(score, field));
        break;
      default:
        writer.Uint(kHistoryVersion);  // the only number of that kind
    }
  }
  writer.EndObject();
  return text.GetString();
}

absl::StatusOr<pb::PredictionScore> ScoreOfLine(std::string_view line) {
  if (line.size() > kMostLineBytes) return NoScore("longer than any score");
  rapidjson::Document json;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  json.Parse<kFlags>(line.data(), line.size());
  if (json.HasParseError() || !json.IsObject()) return NoScore("no JSON object");
  pb::PredictionScore score;
  // (The library's iterators are ambiguous to compare in C++20.)
  const size_t members = json.MemberCount();
  for (size_t i = 0; i < members; ++i) {
    const auto& member = json.MemberBegin()[static_cast<ptrdiff_t>(i)];
    const FieldDescriptor* field = pb::PredictionScore::descriptor()->FindFieldByName(
        std::string(member.name.GetString(), member.name.GetStringLength()));
    if (field != nullptr) TakeValue(member.value, field, score);
  }
  if (score.version() != kHistoryVersion) return NoScore("of another version");
  if (!IsGain(score.low()) || !IsGain(score.expected()) || !IsGain(score.high()) ||
      !IsGain(score.measured()) || score.low() > score.high())
    return NoScore("without a gain");
  if (!(score.noise() >= 0 && score.noise() < kMostBelievedGain)) score.set_noise(0);
  return score;
}

}  // namespace gordian
