// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/json_documents.h"

#include "absl/strings/string_view.h"

namespace gordian {

// Follows the path to where the parser is. Elements of arrays have their array's path.
class JsonDocumentHandler : public NumbersAsText {
 public:
  JsonDocumentHandler(JsonDocuments& log, const JsonStream& stream) : log_(log), stream_(stream) {}

  bool Null() { return true; }
  bool Bool(bool value) { return Value(value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size});
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    path_.resize(levels_.back().path_bytes);
    if (!path_.empty()) path_ += '.';
    path_.append(text, size);
    return path_.size() <= kMaxPathBytes;
  }
  bool StartObject() {
    log_.BeginObject(path_);
    return Start(false);
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    End();
    log_.EndObject(path_, stream_.line());
    return true;
  }
  bool StartArray() { return Start(true); }
  bool EndArray(rapidjson::SizeType /*elements*/) {
    End();
    return true;
  }

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
  void End() {
    path_.resize(levels_.back().path_bytes);
    levels_.pop_back();
  }
  bool Value(std::string_view text) {
    if (levels_.empty()) return false;  // a document that is no object and no list
    log_.Value(path_, text, levels_.back().array);
    return true;
  }

  JsonDocuments& log_;
  const JsonStream& stream_;
  std::string path_;
  std::vector<Level> levels_;
};

JsonDocuments::JsonDocuments(const LogRules& rules, LogSinks& sinks)
    : sinks_(sinks), rules_(rules, sinks), fields_(rules_.names().size()) {
  for (const LogRule& rule : rules.rules) each_.insert(rule.each);
  for (size_t field = 0; field < rules_.names().size(); ++field) {
    const std::string& name = rules_.names()[field];
    by_path_.emplace(name, field);
    within_[""].push_back(field);
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      within_[name.substr(0, dot)].push_back(field);
  }
}

// What the object before told is over: its fields must not be taken for those of this one.
void JsonDocuments::BeginObject(std::string_view path) {
  const auto within = within_.find(absl::string_view(path.data(), path.size()));
  if (within == within_.end()) return;
  for (const size_t field : within->second) fields_[field].set = false;
}

void JsonDocuments::EndObject(const std::string& path, uint64_t line) {
  if (!each_.contains(path)) return;
  ++sinks_.lines;
  rules_.actions().StartLine(line, path.empty() ? "a document of JSON" : std::string_view(path));
  for (size_t field = 0; field < fields_.size(); ++field)
    rules_.Set(field,
               fields_[field].set ? std::string_view(fields_[field].text) : std::string_view());
  rules_.ApplyToObject(path);
}

// Elements of a list are joined by commas, as far as a condition may want to see.
void JsonDocuments::Value(std::string_view path, std::string_view text, bool in_array) {
  constexpr size_t kMaxJoinedBytes = 4096;
  const auto found = by_path_.find(absl::string_view(path.data(), path.size()));
  if (found == by_path_.end()) return;
  Field& field = fields_[found->second];
  if (!field.set || !in_array) {
    field.text.assign(text);
  } else if (field.text.size() < kMaxJoinedBytes) {
    field.text += ',';
    field.text += text;
  }
  field.set = true;
}

absl::Status JsonDocuments::Read(LogBytes& bytes, const std::string& name) {
  rules_.actions().StartFile(name);
  JsonStream stream(bytes);
  return ParseJsonDocuments(
      stream, [&] { return JsonDocumentHandler(*this, stream); },
      [&](uint64_t line) {
        sinks_.tally.CountLine("log_lines_malformed", std::string(BaseName(name)), line,
                               stream.at_end() ? "a JSON document that breaks off"
                                               : "a JSON document that is damaged");
        return absl::OkStatus();
      });
}

}  // namespace gordian
