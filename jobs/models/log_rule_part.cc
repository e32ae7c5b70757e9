// SPDX-License-Identifier: Apache-2.0
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "jobs/models/model_parts.h"

namespace gordian {
namespace {

constexpr std::pair<std::string_view, LogAction> kActions[] = {
    {"begin", LogAction::kBegin},
    {"end", LogAction::kEnd},
    {"phase", LogAction::kPhase},
    {"blocked_begin", LogAction::kBlockedBegin},
    {"blocked_end", LogAction::kBlockedEnd},
    {"blocked", LogAction::kBlocked},
    {"sample", LogAction::kSample},
};

class RuleReader {
 public:
  RuleReader(const YamlNode& node, const LogRules& logs, const PhaseModel& model,
             ModelErrors& errors)
      : node_(node), logs_(logs), model_(model), errors_(errors) {}

  LogRule Read();

 private:
  void ReadCondition();
  void ReadEach();
  bool ReadAction();
  SharedRegex AddGroups(const std::string& pattern, const YamlNode& at);
  TextTemplate Template(std::string_view text, int line);
  TextTemplate TemplateAt(std::string_view key);
  PathTemplate Path(const YamlNode& node);
  void ReadPathPart(std::string_view part, int line, PathTemplate& path);
  void ReadResource(const YamlNode& node);
  void CheckTimes();

  const YamlNode& node_;
  const LogRules& logs_;
  const PhaseModel& model_;
  ModelErrors& errors_;
  LogRule rule_;
  std::vector<std::string> variables_;
};

SharedRegex RuleReader::AddGroups(const std::string& pattern, const YamlNode& at) {
  auto regex = std::make_shared<const RE2>(pattern, RE2::Quiet);
  if (!regex->ok()) {
    if (&at == node_.Find("match"))
      errors_.Add(at.line, absl::StrCat("match: ", regex->error(), " in '", pattern, "'"));
    return regex;
  }
  for (const auto& [name, index] : regex->NamedCapturingGroups()) variables_.push_back(name);
  return regex;
}

void RuleReader::ReadCondition() {
  variables_ = {std::string(kLineVariable), std::string(kFileVariable)};
  if (!logs_.file.empty()) AddGroups(logs_.file, node_);
  const bool fields = HasFields(logs_.format);
  const YamlNode* match = node_.Find("match");
  const YamlNode* when = node_.Find("when");
  if (fields && match != nullptr)
    errors_.Add(match->line, "match: this format's lines are told apart by fields: when: {…}");
  if (!fields && when != nullptr)
    errors_.Add(when->line, "when: lines of text are told apart by match: 'a regular expression'");
  ReadEach();
  if (!fields) {
    rule_.match = ScalarAt(node_, "match", errors_);
    if (match == nullptr) errors_.Add(node_.line, "match is missing: a regular expression");
    if (!rule_.match.empty()) rule_.match_regex = AddGroups(rule_.match, *match);
    return;
  }
  if (when == nullptr) return;
  if (when->kind != YamlNode::Kind::kMap)
    return errors_.Add(when->line, "when must be a map of fields, as in {event: begin}");
  for (size_t i = 0; i < when->keys.size(); ++i) {
    const YamlNode& value = when->items[i];
    FieldCondition condition{when->keys[i].text, value.text,
                             std::make_shared<const RE2>(value.text, RE2::Quiet)};
    const RE2& regex = *condition.regex;
    if (value.kind == YamlNode::Kind::kMap || value.kind == YamlNode::Kind::kList || !regex.ok())
      errors_.Add(value.line, absl::StrCat("when: ", condition.field,
                                           " must be a regular expression for the whole value",
                                           regex.ok() ? "" : ": ", regex.error()));
    rule_.when.push_back(std::move(condition));
  }
}

// "jobs.steps", or "." for the document itself.
void RuleReader::ReadEach() {
  const YamlNode* each = node_.Find("each");
  if (each == nullptr) return;
  if (logs_.format != LogFormat::kJson)
    errors_.Add(each->line, "each: only documents of JSON have objects within objects");
  rule_.each = ScalarAt(node_, "each", errors_);
  if (rule_.each.empty())
    errors_.Add(each->line, "each: the objects' path is expected, as in jobs.steps; or '.'");
  if (rule_.each == ".") rule_.each.clear();
}

// Text with {variables}; {{ stands for {.
TextTemplate RuleReader::Template(std::string_view text, int line) {
  TextTemplate result;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) result.parts.push_back({false, literal});
    literal.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || text.substr(i, 2) == "{{") {
      literal += text[i];
      i += text[i] == '{' ? 1 : 0;
      continue;
    }
    const size_t close = text.find('}', i);
    if (close == std::string_view::npos || close == i + 1) {
      errors_.Add(line, absl::StrCat("'", std::string(text), "': { without a name and a }"));
      return result;
    }
    const std::string name(text.substr(i + 1, close - i - 1));
    const bool known = HasFields(logs_.format) ||
                       std::find(variables_.begin(), variables_.end(), name) != variables_.end();
    if (!known) {
      const std::vector<std::string_view> words(variables_.begin(), variables_.end());
      errors_.Add(line, absl::StrCat("there is no group (?P<", name, ">…) for {", name, "}",
                                     MeantOrKnown(name, words)));
    }
    flush();
    result.parts.push_back({true, name});
    i = close;
  }
  flush();
  return result;
}

TextTemplate RuleReader::TemplateAt(std::string_view key) {
  const std::string text = ScalarAt(node_, key, errors_);
  return text.empty() ? TextTemplate() : Template(text, node_.Find(key)->line);
}

// One part of "/Job/Superstep[{step}]/Worker".
void RuleReader::ReadPathPart(std::string_view part, int line, PathTemplate& path) {
  const size_t bracket = part.find('[');
  const bool has_key = bracket != std::string_view::npos;
  const std::string name(part.substr(0, bracket));
  std::vector<std::string_view> names;
  PhaseTypeId found = kNoId;
  for (PhaseTypeId type = 0; type < model_.job.types.size(); ++type) {
    if (model_.job.types[type].parent != path.type) continue;
    names.push_back(model_.job.types[type].name);
    if (names.back() == name) found = type;
  }
  if (found == kNoId) {
    const std::string where = path.type == kNoId ? "the model" : PathOf(model_.job, path.type);
    errors_.Add(
        line, absl::StrCat("there is no phase '", name, "' in ", where, MeantOrKnown(name, names)));
  } else if (has_key && model_.job.types[found].repeat == PhaseRepeat::kOnce &&
             !model_.observed_repeat[found]) {
    errors_.Add(line, absl::StrCat(name,
                                   " is there once, so it has no key: give it repeat: "
                                   "sequential or concurrent"));
  }
  if (has_key && (part.back() != ']' || bracket + 2 >= part.size()))
    errors_.Add(line, absl::StrCat("'", std::string(part), "': a key as in [{step}] is expected"));
  path.keys.push_back(has_key ? Template(part.substr(bracket + 1, part.size() - bracket - 2), line)
                              : TextTemplate());
  path.type = found;
}

// "/Run/Job[{job}]/{step}": a variable stands where a phase's name is.
bool NamesTypes(std::string_view path) {
  int inside = 0;
  for (size_t i = 0; path.starts_with("/") && i < path.size(); ++i) {
    if (path[i] == '{' && inside == 0) return true;
    inside += path[i] == '[' ? 1 : path[i] == ']' ? -1 : 0;
  }
  return false;
}

void MarkNames(TextTemplate& path) {
  int inside = 0;
  for (TextTemplate::Part& part : path.parts) {
    part.names_type = part.variable && inside == 0;
    if (part.variable) continue;
    for (const char letter : part.text) inside += letter == '[' ? 1 : letter == ']' ? -1 : 0;
  }
}

PathTemplate RuleReader::Path(const YamlNode& node) {
  PathTemplate path;
  const std::string& text = node.text;
  if (text.starts_with("{")) {
    path.from_log = Template(text, node.line);
    return path;
  }
  if (NamesTypes(text)) {
    path.from_log = Template(text, node.line);
    MarkNames(path.from_log);
    return path;
  }
  if (!text.starts_with("/") || text.size() < 2) {
    errors_.Add(node.line, absl::StrCat("'", text, "' is no path of a phase, as in /Job/Load"));
    return path;
  }
  const size_t errors_before = errors_.all().size();
  size_t begin = 1;
  int inside = 0;  // a / between brackets belongs to the key
  for (size_t i = 1; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++inside;
    if (i < text.size() && text[i] == ']') --inside;
    if (i < text.size() && (text[i] != '/' || inside > 0)) continue;
    ReadPathPart(std::string_view(text).substr(begin, i - begin), node.line, path);
    if (errors_.all().size() != errors_before) break;
    begin = i + 1;
  }
  return path;
}

void RuleReader::ReadResource(const YamlNode& node) {
  rule_.resource = Template(node.text, node.line);
  if (rule_.resource.parts.size() != 1 || rule_.resource.parts[0].variable) return;
  const bool blocking = rule_.action != LogAction::kSample;
  std::vector<std::string_view> names;
  for (const ResourceType& type : model_.job.resources) {
    if ((type.kind == ResourceKind::kBlocking) == blocking) names.push_back(type.name);
  }
  if (std::find(names.begin(), names.end(), node.text) == names.end())
    errors_.Add(node.line,
                absl::StrCat("there is no ", blocking ? "blocking" : "consumable", " resource '",
                             node.text, "'", MeantOrKnown(node.text, names)));
}

bool RuleReader::ReadAction() {
  const YamlNode* said = nullptr;
  for (const auto& [name, action] : kActions) {
    const YamlNode* node = node_.Find(name);
    if (node == nullptr) continue;
    if (said != nullptr) {
      errors_.Add(node->line,
                  "a rule says one thing: make another rule, every one that matches "
                  "is heard");
      return false;
    }
    said = node;
    rule_.action = action;
  }
  if (said == nullptr) {
    errors_.Add(node_.line,
                "the rule says nothing: begin, end, phase, blocked, blocked_begin, "
                "blocked_end or sample is expected");
    return false;
  }
  if (said->kind != YamlNode::Kind::kScalar || said->text.empty()) {
    errors_.Add(said->line, absl::StrCat("a path or a resource is expected, not ",
                                         std::string(YamlKindName(*said))));
    return false;
  }
  if (rule_.action <= LogAction::kPhase) {
    rule_.path = Path(*said);
    return true;
  }
  ReadResource(*said);
  const YamlNode* in = node_.Find("in");
  if (rule_.action == LogAction::kSample) return true;
  if (in == nullptr)
    errors_.Add(node_.line, "in is missing: the path of the phase that is blocked");
  else
    rule_.path = Path(*in);
  return true;
}

void RuleReader::CheckTimes() {
  const bool interval = rule_.action == LogAction::kPhase || rule_.action == LogAction::kBlocked;
  const bool enough =
      !rule_.duration.empty() || (!rule_.start_time.empty() && !rule_.end_time.empty());
  if (interval && !enough)
    errors_.Add(node_.line, "how long? duration is missing, or start_time and end_time");
  if (!interval) {
    for (const std::string_view key : {"start_time", "end_time", "duration"}) {
      if (const YamlNode* node = node_.Find(key))
        errors_.Add(node->line,
                    absl::StrCat(std::string(key), " only belongs to phase and blocked"));
    }
  }
  if (!rule_.time.empty()) return;
  const bool has_time = HasFields(logs_.format) ||
                        std::find(variables_.begin(), variables_.end(), "time") != variables_.end();
  if (has_time) rule_.time.parts = {{true, "time"}};
  const bool told = interval && (!rule_.start_time.empty() || !rule_.end_time.empty());
  if (!has_time && !told) errors_.Add(node_.line, "when? a group (?P<time>…) in match is missing");
}

LogRule RuleReader::Read() {
  rule_.line = node_.line;
  if (!CheckKeys(node_, "a rule",
                 {"match",   "when",          "each",        "begin",    "end",  "phase",
                  "blocked", "blocked_begin", "blocked_end", "sample",   "in",   "time",
                  "node",    "start_time",    "end_time",    "duration", "unit", "value",
                  "pid",     "capacity",      "instance",    "tid"},
                 errors_))
    return rule_;
  ReadCondition();
  if (!ReadAction()) return rule_;
  rule_.time = TemplateAt("time");
  rule_.start_time = TemplateAt("start_time");
  rule_.end_time = TemplateAt("end_time");
  rule_.duration = TemplateAt("duration");
  rule_.duration_unit_ns =
      ChoiceAt<double>(node_, "unit", 1e9,
                       {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}}, errors_);
  rule_.value = TemplateAt("value");
  rule_.capacity = TemplateAt("capacity");
  rule_.instance = TemplateAt("instance");
  rule_.node = TemplateAt("node");
  rule_.pid = TemplateAt("pid");
  rule_.tid = TemplateAt("tid");
  if (rule_.action == LogAction::kSample && rule_.value.empty())
    errors_.Add(node_.line, "sample: value is missing");
  CheckTimes();
  return rule_;
}

}  // namespace

LogRule ReadLogRule(const YamlNode& node, const LogRules& logs, const PhaseModel& model,
                    ModelErrors& errors) {
  return RuleReader(node, logs, model, errors).Read();
}

}  // namespace gordian
