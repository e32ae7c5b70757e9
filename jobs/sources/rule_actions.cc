// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/rule_actions.h"

#include <cmath>

#include "absl/hash/hash.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gordian {
namespace {

constexpr size_t kLineSlot = 0;
constexpr size_t kFileSlot = 1;
constexpr size_t kFirstGroupSlot = 2;

}  // namespace

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

RuleActions::RuleActions(const LogRules& rules, LogSinks& sinks)
    : sinks_(sinks), time_parser_(rules.time), monotonic_(rules.time.monotonic) {
  shared_[std::string(kLineVariable)] = kLineSlot;
  shared_[std::string(kFileVariable)] = kFileSlot;
  first_free_ = kFirstGroupSlot;
  if (!rules.file.empty()) {
    file_regex_ = std::make_unique<RE2>(rules.file, RE2::Quiet);
    for (const auto& [name, group] : file_regex_->NamedCapturingGroups())
      shared_[name] = kFirstGroupSlot + static_cast<size_t>(group);
    file_groups_.resize(static_cast<size_t>(file_regex_->NumberOfCapturingGroups()) + 1);
    first_free_ += file_groups_.size();
  }
  values_.resize(first_free_);
}

void RuleActions::Add(const LogRule& rule, const LineVariables& variables) {
  const auto compile = [&](const TextTemplate& text) { return LineTemplate(text, variables); };
  Compiled compiled{.rule = &rule,
                    .keys = {},
                    .path = compile(rule.path.from_log),
                    .resource = compile(rule.resource),
                    .time = compile(rule.time),
                    .start_time = compile(rule.start_time),
                    .end_time = compile(rule.end_time),
                    .duration = compile(rule.duration),
                    .value = compile(rule.value),
                    .capacity = compile(rule.capacity),
                    .instance = compile(rule.instance),
                    .node = compile(rule.node),
                    .pid = compile(rule.pid),
                    .tid = compile(rule.tid)};
  for (const TextTemplate& key : rule.path.keys) compiled.keys.push_back(compile(key));
  rules_.push_back(std::move(compiled));
  for (const auto& [name, slot] : variables) values_.resize(std::max(values_.size(), slot + 1));
}

void RuleActions::StartFile(const std::string& name) {
  file_ = std::string(BaseName(name));
  last_time_ns_ = 0;
  values_[kFileSlot] = file_;
  if (!file_regex_) return;
  std::vector<re2::StringPiece> groups(file_groups_.size());
  const bool matches = file_regex_->Match(file_, 0, file_.size(), RE2::UNANCHORED, groups.data(),
                                          static_cast<int>(groups.size()));
  for (size_t group = 0; group < groups.size(); ++group) {
    const bool there = matches && groups[group].data() != nullptr;
    if (there) file_groups_[group].assign(groups[group].data(), groups[group].size());
    values_[kFirstGroupSlot + group] =
        there ? std::string_view(file_groups_[group]) : std::string_view();
  }
}

void RuleActions::StartLine(uint64_t number_in_file, std::string_view line) {
  number_in_file_ = number_in_file;
  line_ = line;
  line_number_told_ = false;
}

void RuleActions::CountLine(std::string_view counter, std::string_view what) {
  sinks_.tally.CountLine(counter, file_, number_in_file_,
                         [&] { return std::string(what) + ShortText(line_); });
}

void RuleActions::CountFault(std::string_view counter, uint64_t fault,
                             absl::FunctionRef<std::string()> describe) {
  sinks_.tally.CountFault(counter, fault, file_, number_in_file_, [&] {
    return absl::StrCat(describe(), "; the line: ", ShortText(line_));
  });
}

void RuleActions::CountMalformed(absl::FunctionRef<std::string()> describe) {
  // Parts are literals: their places tell them apart.
  const auto part = reinterpret_cast<uintptr_t>(fault_.part.data());
  CountFault("log_lines_malformed", absl::HashOf(fault_.rule, part), describe);
}

bool RuleActions::Lacks(std::string_view part, const LineTemplate& text,
                        std::string_view expected) {
  fault_ = {fault_.rule, part, &text, expected};
  return false;
}

std::string RuleActions::Describe(const Fault& fault) {
  std::string what = absl::StrCat("the model's line ", rules_[fault.rule].rule->line, ": ",
                                  std::string(fault.part));
  const std::string source = fault.text->Source();
  if (!source.empty()) absl::StrAppend(&what, " '", source, "'");
  std::string_view value;
  const std::string missing(MissingIn(fault));
  if (!missing.empty()) {
    absl::StrAppend(&what, ": there is no ", missing);
  } else if (!fault.text->Fill(values_, scratch_, value) || value.empty()) {
    absl::StrAppend(&what, " is empty");
  } else {
    absl::StrAppend(&what, " is '", ShortText(value), "', not ", std::string(fault.expected));
  }
  return what;
}

bool RuleActions::FillTime(std::string_view part, const LineTemplate& text, uint64_t& time_ns) {
  std::string_view value;
  if (!text.Fill(values_, scratch_, value) || value.empty()) return Lacks(part, text);
  if (value == read_text_) {
    time_ns = read_ns_;
    return true;
  }
  const auto parsed = time_parser_.Parse(value);
  if (!parsed) return Lacks(part, text, time_parser_.expected());
  const auto time = monotonic_ ? parsed : sinks_.clock.FromWall(*parsed);
  if (!time) return Lacks(part, text, "a time that the recording's clock has");
  read_text_.assign(value);
  read_ns_ = time_ns = *time;
  return true;
}

bool RuleActions::LineTime(const Compiled& rule, uint64_t& time_ns) {
  if (!FillTime("time", rule.time, time_ns)) return false;
  if (time_ns + sinks_.thresholds.clock_jump_ns < last_time_ns_) CountLine("log_clock_jumps");
  last_time_ns_ = time_ns;
  return true;
}

// Two of begin, end and duration. A phase without begin and end ends at its line.
bool RuleActions::FillInterval(const Compiled& rule, uint64_t& start_ns, uint64_t& end_ns) {
  const bool has_end = FillTime("end_time", rule.end_time, end_ns);
  const Fault end_fault = fault_;
  const bool has_start = FillTime("start_time", rule.start_time, start_ns);
  if (has_start && has_end) return true;
  if (rule.duration.empty()) {
    if (has_start) fault_ = end_fault;
    return false;
  }
  double duration = 0;
  if (!FillAmount("duration", rule.duration, duration)) return false;
  if (duration < 0) return Lacks("duration", rule.duration, "a number of at least 0");
  const double duration_ns = duration * rule.rule->duration_unit_ns;
  constexpr double kLongestNs = 1e18;
  if (!(duration_ns < kLongestNs))
    return Lacks("duration", rule.duration, "less than thirty years");
  const auto span_ns = static_cast<uint64_t>(std::llround(duration_ns));
  if (has_start) {
    end_ns = start_ns + span_ns;
    return true;
  }
  if (!has_end && !LineTime(rule, end_ns)) return false;
  if (span_ns > end_ns) return Lacks("duration", rule.duration, "a time since 1970");
  start_ns = end_ns - span_ns;
  return true;
}

bool RuleActions::FillAmount(std::string_view part, const LineTemplate& text, double& amount) {
  std::string_view value;
  if (!text.Fill(values_, scratch_, value) || value.empty()) return Lacks(part, text);
  const bool is_number = absl::SimpleAtod(absl::string_view(value.data(), value.size()), &amount) &&
                         std::isfinite(amount);
  return is_number || Lacks(part, text, "a number");
}

// Absent is fine: not known.
bool RuleActions::FillNumber(std::string_view part, const LineTemplate& text, int32_t& number) {
  std::string_view value;
  if (!text.Fill(values_, scratch_, value) || value.empty()) return true;
  const bool is_number =
      absl::SimpleAtoi(absl::string_view(value.data(), value.size()), &number) && number >= 0;
  return is_number || Lacks(part, text, "a whole number of at least 0");
}

// "/Job/Load[3]/Read" as the log has it. Its first part may be the model's root or stand below it.
bool RuleActions::FillPath(std::string_view path, PhaseMark& mark) {
  PhaseTypes& types = sinks_.collector.types();
  keys_.assign(1, std::string_view());
  mark.type = 0;
  bool first = true;
  if (!path.starts_with('/')) return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    size_t end = 0;
    int inside = 0;  // a / between brackets belongs to the key
    for (; end < path.size() && (path[end] != '/' || inside > 0); ++end)
      inside += path[end] == '[' ? 1 : path[end] == ']' && inside > 0 ? -1 : 0;
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(end);
    const size_t bracket = std::min(part.find('['), part.size());
    const std::string_view name = part.substr(0, bracket);
    std::string_view key = part.substr(bracket);
    if (name.empty() || (!key.empty() && (key.size() < 2 || key.back() != ']'))) return false;
    if (!key.empty()) key = key.substr(1, key.size() - 2);
    if (first && name == types[0].name) {
      keys_[0] = key;
    } else {
      mark.type = types.ChildOrNew(mark.type, name);
      if (mark.type == kNoId) return false;
      keys_.push_back(key);
    }
    first = false;
  }
  return true;
}

bool RuleActions::FillMark(const Compiled& rule, PhaseMark& mark) {
  mark = {};
  if (!rule.path.empty()) {
    std::string_view path;
    if (!rule.path.Fill(values_, scratch_, path)) return Lacks("path", rule.path);
    // Keys refer to the path, which must outlive the mark that is filled next.
    key_scratch_.resize(std::max<size_t>(key_scratch_.size(), 1));
    key_scratch_[0].assign(path);
    if (!FillPath(key_scratch_[0], mark))
      return Lacks("path", rule.path, "a path like /Job/Load[3] of phases that the model has");
  } else {
    mark.type = rule.rule->path.type;
    keys_.assign(rule.keys.size(), {});
    key_scratch_.resize(std::max(key_scratch_.size(), rule.keys.size()));
    for (size_t i = 0; i < rule.keys.size(); ++i) {
      if (!rule.keys[i].empty() && !rule.keys[i].Fill(values_, key_scratch_[i], keys_[i]))
        return Lacks("key", rule.keys[i]);
    }
  }
  mark.keys = keys_;
  if (!rule.node.Fill(values_, node_scratch_, mark.node)) mark.node = {};
  return FillNumber("pid", rule.pid, mark.pid) && FillNumber("tid", rule.tid, mark.tid);
}

bool RuleActions::Sample(const Compiled& rule) {
  std::string_view resource, node, instance;
  uint64_t time_ns = 0;
  double value = 0, capacity = 0;
  if (!rule.resource.Fill(values_, resource_scratch_, resource) || resource.empty())
    return Lacks("sample", rule.resource);
  if (!LineTime(rule, time_ns) || !FillAmount("value", rule.value, value)) return false;
  if (!FillAmount("capacity", rule.capacity, capacity)) capacity = 0;
  if (!rule.node.Fill(values_, node_scratch_, node)) node = {};
  if (!rule.instance.Fill(values_, instance_scratch_, instance)) instance = resource;
  const ResourceTypeId type =
      sinks_.collector.types().ResourceOrNew({.name = std::string(resource)});
  if (type == kNoId) return Lacks("sample", rule.resource, "one of at most a few resources");
  MeasuredResources& resources = sinks_.collector.resources();
  resources.AddMeasurement(resources.Instance(type, instance, node), time_ns, value, capacity);
  return true;
}

bool RuleActions::Say(const Compiled& rule, const PhaseMark& mark) {
  PhaseCollector& collector = sinks_.collector;
  std::string_view resource;
  const bool blocked = rule.rule->action >= LogAction::kBlockedBegin;
  if (blocked && (!rule.resource.Fill(values_, resource_scratch_, resource) || resource.empty()))
    return Lacks("resource", rule.resource);
  uint64_t start_ns = 0, end_ns = 0;
  const bool interval =
      rule.rule->action == LogAction::kPhase || rule.rule->action == LogAction::kBlocked;
  if (interval ? !FillInterval(rule, start_ns, end_ns) : !LineTime(rule, start_ns)) return false;
  switch (rule.rule->action) {
    case LogAction::kBegin:
      collector.Begin(mark, start_ns);
      break;
    case LogAction::kEnd:
      collector.End(mark, start_ns);
      break;
    case LogAction::kPhase:
      collector.Add(mark, start_ns, end_ns);
      break;
    case LogAction::kBlockedBegin:
      collector.BlockedBegin(mark, resource, start_ns);
      break;
    case LogAction::kBlockedEnd:
      collector.BlockedEnd(mark, resource, start_ns);
      break;
    case LogAction::kBlocked:
      collector.Blocked(mark, resource, start_ns, end_ns);
      break;
    case LogAction::kSample:
      break;
  }
  return true;
}

bool RuleActions::Apply(size_t rule) {
  if (!line_number_told_) {
    line_number_text_ = std::to_string(sinks_.lines);
    values_[kLineSlot] = line_number_text_;
    line_number_told_ = true;
  }
  const Compiled& compiled = rules_[rule];
  fault_.rule = rule;
  if (compiled.rule->action == LogAction::kSample) return Sample(compiled);
  PhaseMark mark;
  return FillMark(compiled, mark) && Say(compiled, mark);
}

}  // namespace gordian
