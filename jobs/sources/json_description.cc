// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/json_description.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "jobs/models/phase_model.h"
#include "jobs/tree/tally.h"

namespace gordian {
namespace {

constexpr size_t kMaxValues = 1000;
constexpr size_t kMaxDescribedDepth = 100;
constexpr size_t kFieldsTold = 8;

// Follows the path to where the parser is.
class JsonLister {
 public:
  bool Null() { return Value("null", false); }
  bool Bool(bool value) { return Value(value ? "true" : "false", true); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size}, true);
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size}, true);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    path_.resize(levels_.back().path_bytes);
    if (!path_.empty()) path_ += '.';
    path_.append(text, size);
    return true;
  }
  bool StartObject() { return (levels_.empty() || Value("an object", false)) && Start(false); }
  bool EndObject(rapidjson::SizeType /*members*/) { return End(); }
  bool StartArray() { return !levels_.empty() && Start(true); }
  bool EndArray(rapidjson::SizeType /*elements*/) { return End(); }
  // Numbers come as RawNumber; the parser wants these all the same.
  bool Int(int /*value*/) { return false; }
  bool Uint(unsigned /*value*/) { return false; }
  bool Int64(int64_t /*value*/) { return false; }
  bool Uint64(uint64_t /*value*/) { return false; }
  bool Double(double /*value*/) { return false; }

  std::vector<JsonValue> Take() { return std::move(values_); }

 private:
  struct Level {
    size_t path_bytes;
    bool array;
  };
  bool Start(bool array) {
    levels_.push_back({path_.size(), array});
    return levels_.size() <= kMaxDescribedDepth;
  }
  bool End() {
    path_.resize(levels_.back().path_bytes);
    levels_.pop_back();
    return true;
  }
  bool Value(std::string_view text, bool there) {
    if (levels_.empty()) return false;
    values_.push_back({path_, std::string(text), there, levels_.back().array});
    return values_.size() < kMaxValues;
  }

  std::string path_;
  std::vector<Level> levels_;
  std::vector<JsonValue> values_;
};

}  // namespace

std::vector<JsonValue> ListJson(std::string_view line) {
  rapidjson::MemoryStream stream(line.data(), line.size());
  rapidjson::Reader reader;
  JsonLister lister;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  reader.Parse<kFlags>(stream, lister);
  return lister.Take();
}

std::string DescribeJsonField(std::string_view line, const std::string& name) {
  const std::vector<JsonValue> values = ListJson(line);
  std::vector<std::string_view> names;
  for (const JsonValue& value : values) {
    if (value.path == name) return absl::StrCat("; it is ", ShortText(value.text));
    if (std::find(names.begin(), names.end(), value.path) == names.end())
      names.emplace_back(value.path);
  }
  const std::string_view nearest = NearestWord(name, names);
  if (!nearest.empty()) return absl::StrCat("; the line has ", ShortText(nearest));
  std::string told;
  for (size_t i = 0; i < std::min(names.size(), kFieldsTold); ++i)
    absl::StrAppend(&told, i == 0 ? "; the line has " : ", ", ShortText(names[i]));
  if (names.size() > kFieldsTold) told += ", …";
  return told;
}

}  // namespace gordian
