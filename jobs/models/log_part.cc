// SPDX-License-Identifier: Apache-2.0
#include <re2/re2.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "jobs/models/model_parts.h"

namespace gordian {
namespace {

constexpr size_t kMaxRules = 200;
constexpr size_t kMaxLogs = 20;

void ReadTime(const YamlNode& node, ModelErrors& errors, LogTimeFormat& time) {
  using Kind = LogTimeFormat::Kind;
  std::string format = node.text;
  if (node.kind != YamlNode::Kind::kScalar) {
    if (!CheckKeys(node, "time", {"format", "zone", "year", "clock"}, errors)) return;
    format = ScalarAt(node, "format", errors);
    const std::string zone = ScalarAt(node, "zone", errors);
    absl::TimeZone loaded;
    if (!zone.empty() && !absl::LoadTimeZone(zone, &loaded)) {
      errors.Add(node.Find("zone")->line, absl::StrCat("zone: this machine does not know '", zone,
                                                       "'; a name like Europe/Berlin or UTC is "
                                                       "expected"));
    } else if (!zone.empty()) {
      time.zone = zone;
    }
    time.year = static_cast<int>(NumberAt(node, "year", 1970, 0, errors));
    time.monotonic =
        ChoiceAt<bool>(node, "clock", false, {{"wall", false}, {"monotonic", true}}, errors);
  }
  if (format.find('%') != std::string::npos) {
    time.kind = Kind::kPattern;
    time.pattern = format;
    const bool tells_year = format.find("%Y") != std::string::npos ||
                            format.find("%y") != std::string::npos ||
                            format.find("%s") != std::string::npos;
    if (!tells_year && time.year == 0)
      errors.Add(node.line, absl::StrCat("time: '", format, "' tells no year: add year:"));
    return;
  }
  static constexpr std::pair<std::string_view, Kind> kNames[] = {
      {"auto", Kind::kAuto},
      {"iso8601", Kind::kIso8601},
      {"common", Kind::kCommonLog},
      {"epoch_s", Kind::kEpochSeconds},
      {"epoch_ms", Kind::kEpochMilliseconds},
      {"epoch_us", Kind::kEpochMicroseconds},
      {"epoch_ns", Kind::kEpochNanoseconds}};
  if (format.empty()) return;
  std::vector<std::string_view> known;
  for (const auto& [name, kind] : kNames) {
    if (name == format) {
      time.kind = kind;
      return;
    }
    known.push_back(name);
  }
  errors.Add(node.line, absl::StrCat("time: '", format, "' is no format",
                                     MeantOrKnown(format, known), " (or a pattern with %Y %m …)"));
}

LogRules ReadLog(const YamlNode& node, const PhaseModel& model, ModelErrors& errors) {
  LogRules logs;
  if (!CheckKeys(node, "logs", {"format", "file", "time", "rules"}, errors)) return logs;
  if (node.Find("format") == nullptr)
    errors.Add(node.line,
               "logs: format is missing: text, json, pairs, ninja, spark, otel, chrome, github, "
               "gitlab or probes");
  logs.format = ChoiceAt<LogFormat>(node, "format", LogFormat::kText,
                                    {{"text", LogFormat::kText},
                                     {"json", LogFormat::kJson},
                                     {"pairs", LogFormat::kPairs},
                                     {"ninja", LogFormat::kNinja},
                                     {"spark", LogFormat::kSpark},
                                     {"otel", LogFormat::kOtel},
                                     {"chrome", LogFormat::kChrome},
                                     {"github", LogFormat::kGithub},
                                     {"gitlab", LogFormat::kGitlab},
                                     {"probes", LogFormat::kProbes}},
                                    errors);
  logs.file = ScalarAt(node, "file", errors);
  if (!logs.file.empty()) {
    const RE2 regex(logs.file, RE2::Quiet);
    if (!regex.ok()) errors.Add(node.Find("file")->line, absl::StrCat("file: ", regex.error()));
  }
  if (const YamlNode* time = node.Find("time")) ReadTime(*time, errors, logs.time);
  const bool has_rules = HasText(logs.format) || HasFields(logs.format);
  const YamlNode* rules = node.Find("rules");
  if (!has_rules) {
    if (rules != nullptr)
      errors.Add(rules->line,
                 "rules: this format is read without rules; text, json, pairs and ninja have "
                 "them");
    return logs;
  }
  if (rules == nullptr || rules->kind != YamlNode::Kind::kList || rules->items.empty()) {
    errors.Add(rules == nullptr ? node.line : rules->line,
               "logs: rules is missing: a list of what lines mean");
    return logs;
  }
  for (const YamlNode& rule : rules->items) {
    if (logs.rules.size() >= kMaxRules) {
      errors.Add(rule.line, absl::StrCat("more than ", kMaxRules, " rules"));
      break;
    }
    logs.rules.push_back(ReadLogRule(rule, logs, model, errors));
    logs.documents |= rule.Find("each") != nullptr;
  }
  return logs;
}

}  // namespace

void ReadLogs(const YamlNode& node, ModelErrors& errors, PhaseModel& model) {
  if (node.kind != YamlNode::Kind::kList) {
    model.logs.push_back(ReadLog(node, model, errors));
    return;
  }
  if (node.items.size() > kMaxLogs)
    return errors.Add(node.line, absl::StrCat("more than ", kMaxLogs, " kinds of logs"));
  for (const YamlNode& item : node.items) model.logs.push_back(ReadLog(item, model, errors));
}

}  // namespace gordian
