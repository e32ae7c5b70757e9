// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/chrome_trace_parser.h"

#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "jobs/sources/chrome_trace.h"
#include "trace/logs/json_stream.h"

namespace gordian {
namespace {

// Threads and processes may have any number, or a text: what is no number counts as none.
int32_t ThreadId(std::string_view text) {
  int32_t id = 0;
  return absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &id) && id > 0 ? id : 0;
}

// Follows the path to where the parser is: an event is an object in the list `traceEvents`, or in a
// list that is the whole document.
class ChromeHandler : public NumbersAsText {
 public:
  ChromeHandler(ChromeTrace& trace, const JsonStream& stream, bool& in_list)
      : trace_(trace), stream_(stream), in_list_(in_list) {
    in_list_ = false;
  }

  bool Null() { return true; }
  bool Bool(bool /*value*/) { return true; }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size});
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Value({text, size});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    levels_.back().key.assign(text, size);
    return size <= kMaxKeyBytes;
  }
  bool StartObject() {
    if (InEvents()) event_ = {};
    levels_.push_back({});
    return levels_.size() <= kMaxDepth;
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    levels_.pop_back();
    if (InEvents()) trace_.AddEvent(event_, stream_.line());
    return true;
  }
  bool StartArray() {
    if (levels_.empty()) in_list_ = true;
    levels_.push_back({.is_list = true, .key = {}});
    return levels_.size() <= kMaxDepth;
  }
  bool EndArray(rapidjson::SizeType /*elements*/) {
    levels_.pop_back();
    return true;
  }

 private:
  static constexpr size_t kMaxDepth = 100;
  static constexpr size_t kMaxKeyBytes = 4096;

  struct Level {
    bool is_list = false;
    std::string key;  // the one that was read last
  };

  // Directly in the list of events, whose level is the innermost.
  bool InEvents() const {
    return !levels_.empty() && levels_.size() == EventsDepth() && levels_.back().is_list;
  }
  // 1 or 2; 0 if there is no such list around.
  size_t EventsDepth() const {
    if (levels_.empty()) return 0;
    if (levels_[0].is_list) return 1;
    return levels_.size() > 1 && levels_[0].key == "traceEvents" ? 2 : 0;
  }

  bool Value(std::string_view text) {
    if (levels_.empty()) return false;
    const std::string& key = levels_.back().key;
    if (levels_.size() == 1 && !levels_[0].is_list && key == "beginningOfTime")
      trace_.SetBeginning(text);
    const size_t depth = EventsDepth();
    if (depth == 0 || levels_.back().is_list) return true;
    if (levels_.size() == depth + 1) TakeField(key, text);
    if (levels_.size() == depth + 2 && levels_[depth].key == "args") TakeArgument(key, text);
    return true;
  }

  void TakeField(std::string_view key, std::string_view text) {
    if (key == "ph") event_.phase.assign(text);
    if (key == "name") event_.name.assign(text);
    if (key == "ts") event_.timestamp.assign(text);
    if (key == "dur") event_.duration.assign(text);
    if (key == "pid") event_.pid = ThreadId(text);
    if (key == "tid") event_.tid = ThreadId(text);
  }
  void TakeArgument(std::string_view key, std::string_view text) {
    if (key == "detail" || (key == "name" && event_.key.empty())) event_.key.assign(text);
    if (key == "avg ms") event_.is_sum = true;
  }

  ChromeTrace& trace_;
  const JsonStream& stream_;
  bool& in_list_;
  std::vector<Level> levels_;
  ChromeEvent event_;
};

}  // namespace

absl::Status ParseChromeTrace(LogBytes& bytes, const std::string& file, ChromeTrace& trace,
                              Tally& tally) {
  JsonStream stream(bytes);
  bool in_list = false;
  return ParseJsonDocuments(
      stream, [&] { return ChromeHandler(trace, stream, in_list); },
      [&](uint64_t line) {
        if (in_list && stream.at_end()) return absl::OkStatus();  // as the format allows
        tally.CountLine("log_lines_malformed", file, line,
                        stream.at_end() ? "a JSON document that breaks off"
                                        : "a JSON document that is damaged");
        return absl::OkStatus();
      });
}

}  // namespace gordian
