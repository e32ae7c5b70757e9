#include "jobs/sources/text_rules.h"

#include <algorithm>

namespace gordian {

TextRules::TextRules(const LogRules& rules, LogSinks& sinks, bool first_only)
    : actions_(rules, sinks), first_only_(first_only), all_(RE2::Quiet, RE2::UNANCHORED) {
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

bool TextRules::Apply(size_t rule, std::string_view line) {
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

void TextRules::TakeLine(std::string_view line) {
  matching_.clear();
  if (!all_.Match({line.data(), line.size()}, &matching_)) {
    if (!line.empty()) actions_.CountLine("log_lines_unknown");
    return;
  }
  std::sort(matching_.begin(), matching_.end());
  if (first_only_) matching_.resize(1);
  bool understood = true;
  for (const int rule : matching_) understood &= Apply(static_cast<size_t>(rule), line);
  if (!understood) actions_.CountLine("log_lines_malformed");
}

}  // namespace gordian
