// SPDX-License-Identifier: Apache-2.0
// The contents of a model file: a job's phases, the resources, the phases' use of them, and how
// logs tell of all that. docs/add-a-model.md describes the files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/job/job.h"

namespace re2 {
class RE2;
}

namespace gordian {

enum class LogFormat : uint8_t {
  kText,    // lines, matched by regular expressions
  kJson,    // one JSON object a line, or objects within documents
  kPairs,   // lines with key=value pairs
  kNinja,   // ninja's own log, whose commands are matched by regular expressions
  kSpark,   // a Spark event log
  kOtel,    // OpenTelemetry spans as OTLP/JSON
  kChrome,  // Chrome's trace events
  kGithub,  // logs of GitHub Actions
  kGitlab,  // logs of GitLab CI
  kProbes,  // no log: the words of programs' probes in a session
};
// Lines have named fields, about which rules say `when`.
inline bool HasFields(LogFormat format) {
  return format == LogFormat::kJson || format == LogFormat::kPairs;
}
// Regular expressions match its lines.
inline bool HasText(LogFormat format) {
  return format == LogFormat::kText || format == LogFormat::kNinja;
}

struct LogTimeFormat {
  enum class Kind : uint8_t {
    kAuto,     // ISO 8601, or a number of the size of an epoch time in s, ms, us or ns
    kIso8601,  // RFC 3339 and its relatives: a blank for the T, a comma, no zone
    kCommonLog,
    kEpochSeconds,  // fractions allowed, in all of these
    kEpochMilliseconds,
    kEpochMicroseconds,
    kEpochNanoseconds,
    kPattern,  // as strptime reads; %f is a fraction
  };
  Kind kind = Kind::kAuto;
  std::string pattern;
  int year = 0;              // for patterns without a date
  std::string zone = "UTC";  // of times without a zone
  bool monotonic = false;    // CLOCK_MONOTONIC of the recorded node, not the wall clock
};

// Text with holes: "worker-{id}".
struct TextTemplate {
  struct Part {
    bool variable = false;
    std::string text;         // or the variable's name
    bool names_type = false;  // in a path: the value is a phase's name, not its key nor a path
  };
  std::vector<Part> parts;
  bool empty() const { return parts.empty(); }
};

// Where a phase stands in the tree.
struct PathTemplate {
  PhaseTypeId type = kNoId;        // kNoId: `from_log` holds the whole path
  std::vector<TextTemplate> keys;  // from the root to `type`; empty: not told
  TextTemplate from_log;
};

enum class LogAction : uint8_t {
  kBegin,
  kEnd,
  kPhase,  // a whole one
  kBlockedBegin,
  kBlockedEnd,
  kBlocked,
  kSample,
};

// Compiled where the model is checked, and shared by all that read logs by it: to compile it takes
// longer than to read a small log. Thread-safe.
using SharedRegex = std::shared_ptr<const re2::RE2>;

struct FieldCondition {
  std::string field;
  std::string pattern;  // all of the value must match; empty: the field must be there
  SharedRegex regex;    // of the pattern
};

struct LogRule {
  LogAction action = LogAction::kBegin;
  std::string match;                 // text: a regular expression with named groups
  SharedRegex match_regex;           // null without one
  std::vector<FieldCondition> when;  // fields: all must hold
  std::string each;                  // JSON documents: the objects it is about; empty: the document
  PathTemplate path;                 // of the phase; of the blocked one
  TextTemplate resource;             // blocked and samples
  TextTemplate time;                 // the line's own
  TextTemplate start_time;
  TextTemplate end_time;
  TextTemplate duration;
  double duration_unit_ns = 1e9;
  TextTemplate value;
  TextTemplate capacity;
  TextTemplate instance;
  TextTemplate node;
  TextTemplate pid;
  TextTemplate tid;
  int line = 0;  // in the model file
};

struct LogRules {
  LogFormat format = LogFormat::kText;
  std::string file;  // a regular expression for the names of the files; its groups are variables
  LogTimeFormat time;
  std::vector<LogRule> rules;
  bool documents = false;  // JSON: some rule has `each`, so objects need not stand on one line
};

struct PhaseModel {
  JobModel job;
  std::string about;
  // By type: how its children that the model does not name are bound, if there may be any.
  std::vector<bool> discovers;
  std::vector<PhasePlace> discovered_place;
  std::vector<bool> observed_repeat;  // by type: the data decides
  // As job.rules: the words of the file, inherited ones, too. Empty where it says nothing.
  std::vector<std::string> rule_words;
  std::vector<bool> queued;  // by type: each begins as soon as another has ended
  std::vector<LogRules> logs;
};

// Variables that every template may use besides the rule's own.
inline constexpr std::string_view kLineVariable = "line";  // its number over all logs
inline constexpr std::string_view kFileVariable = "file";  // its name without folders

// The model in `text`. InvalidArgument, "FILE:LINE: the error, and the expected text", if it is no
// model; `errors`, if given, gets all errors, of which the status tells the first.
absl::StatusOr<PhaseModel> ParseModel(std::string_view text, std::string_view file,
                                      std::vector<std::string>* errors = nullptr);

struct ReadyModel {
  std::string_view name;
  std::string_view text;
};
std::span<const ReadyModel> ReadyModels();
// Null if there is none.
const ReadyModel* FindReadyModel(std::string_view name);

// A ready model by its name, or else the model in that file.
absl::StatusOr<PhaseModel> LoadModel(const std::string& name_or_file,
                                     std::vector<std::string>* errors = nullptr);

// The text of that model, for those who write it anew.
absl::StatusOr<std::string> ModelText(const std::string& name_or_file);

// The word of `known` that `word` was probably meant to be, or empty.
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known);

}  // namespace gordian
