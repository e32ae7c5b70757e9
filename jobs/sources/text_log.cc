#include "jobs/sources/text_log.h"

#include <algorithm>

#include "jobs/logs/log_lines.h"

namespace gordian {

TextLog::TextLog(const LogRules& rules, LogSinks& sinks)
    : sinks_(sinks), actions_(rules, sinks), all_(RE2::Quiet, RE2::UNANCHORED) {
  for (const LogRule& rule : rules.rules) {
    regexes_.push_back(std::make_unique<RE2>(rule.match, RE2::Quiet));
    all_.Add(rule.match, nullptr);
    LineVariables variables = actions_.shared_variables();
    for (const auto& [name, group] : regexes_.back()->NamedCapturingGroups())
      variables[name] = actions_.first_free_slot() + static_cast<size_t>(group);
    actions_.Add(rule, variables);
    const auto groups = static_cast<size_t>(regexes_.back()->NumberOfCapturingGroups()) + 1;
    groups_.resize(std::max(groups_.size(), groups));
  }
  all_.Compile();
  actions_.values().resize(
      std::max(actions_.values().size(), actions_.first_free_slot() + groups_.size()));
}

bool TextLog::Apply(size_t rule, std::string_view line) {
  const RE2& regex = *regexes_[rule];
  const int groups = regex.NumberOfCapturingGroups() + 1;
  if (!regex.Match({line.data(), line.size()}, 0, line.size(), RE2::UNANCHORED, groups_.data(),
                   groups))
    return false;
  for (int group = 0; group < groups; ++group) {
    const re2::StringPiece& text = groups_[static_cast<size_t>(group)];
    actions_.values()[actions_.first_free_slot() + static_cast<size_t>(group)] =
        std::string_view(text.data(), text.size());
  }
  return actions_.Apply(rule);
}

void TextLog::TakeLine(std::string_view line) {
  matching_.clear();
  if (!all_.Match({line.data(), line.size()}, &matching_)) {
    if (!line.empty()) actions_.CountLine("log_lines_unknown");
    return;
  }
  std::sort(matching_.begin(), matching_.end());
  bool understood = true;
  for (const int rule : matching_) understood &= Apply(static_cast<size_t>(rule), line);
  if (!understood) actions_.CountLine("log_lines_malformed");
}

absl::Status TextLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  actions_.StartFile(name);
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    actions_.StartLine(lines.line_number(), line);
    TakeLine(line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  return lines.status();
}

}  // namespace gordian
