#include "jobs/sources/json_fields.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "absl/strings/string_view.h"

namespace gordian {

// Follows the path to where the parser is.
class JsonFieldHandler {
 public:
  explicit JsonFieldHandler(JsonFields& fields) : fields_(fields) {}

  bool Null() { return Value({}, false); }
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
    return path_.size() <= kMaxPathBytes;
  }
  bool StartObject() { return Start(false); }
  bool EndObject(rapidjson::SizeType /*members*/) { return End(); }
  bool StartArray() { return !levels_.empty() && Start(true); }
  bool EndArray(rapidjson::SizeType /*elements*/) { return End(); }
  // Numbers come as RawNumber; the parser wants these all the same.
  bool Int(int /*value*/) { return false; }
  bool Uint(unsigned /*value*/) { return false; }
  bool Int64(int64_t /*value*/) { return false; }
  bool Uint64(uint64_t /*value*/) { return false; }
  bool Double(double /*value*/) { return false; }

 private:
  static constexpr size_t kMaxDepth = 100;
  static constexpr size_t kMaxPathBytes = 4096;

  struct Level {
    size_t path_bytes;
    bool array;
  };

  bool Start(bool array) {
    levels_.push_back({path_.size(), array});
    return levels_.size() <= kMaxDepth;
  }
  bool End() {
    path_.resize(levels_.back().path_bytes);
    levels_.pop_back();
    return true;
  }
  bool Value(std::string_view text, bool there) {
    if (levels_.empty()) return false;  // a document that is no object
    const auto found = fields_.index_.find(absl::string_view(path_));
    if (!there || found == fields_.index_.end()) return true;
    JsonFields::Slot& slot = fields_.slots_[found->second];
    if (!slot.set) fields_.touched_.push_back(found->second);
    if (slot.set && levels_.back().array) {
      slot.text += ',';
      slot.text += text;
    } else {
      slot.text.assign(text);
    }
    slot.set = true;
    return true;
  }

  JsonFields& fields_;
  std::string path_;
  std::vector<Level> levels_;
};

JsonFields::JsonFields(const std::vector<std::string>& names) : slots_(names.size()) {
  for (size_t i = 0; i < names.size(); ++i) index_.emplace(names[i], i);
}

bool JsonFields::Read(std::string_view line) {
  for (const size_t slot : touched_) slots_[slot].set = false;
  touched_.clear();
  rapidjson::MemoryStream stream(line.data(), line.size());
  rapidjson::Reader reader;
  JsonFieldHandler handler(*this);
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  return !reader.Parse<kFlags>(stream, handler).IsError();
}

}  // namespace gordian
