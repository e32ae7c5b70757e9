#include "analysis/link_speeds.h"

#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr double kFastest = 1e16;  // bits per second, of which no link has a thousandth

// 1 without a unit, 0 for an unknown one.
double UnitOf(char letter) {
  switch (letter) {
    case 'k':
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 0;
  }
}

absl::Status NoLinkSpeed(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", CleanText(text), "' is no speed of a link: give eth0=1G (bits per second)"));
}

std::string NamesOf(const Timeline& timeline) {
  std::set<std::string> names;
  for (const pb::Interface& interface : timeline.session().interfaces()) {
    if (!interface.loopback() && !interface.name().empty())
      names.insert(CleanText(interface.name()));
  }
  return names.empty() ? "it has none" : absl::StrCat("it has ", absl::StrJoin(names, ", "));
}

}  // namespace

absl::StatusOr<LinkSpeed> ParseLinkSpeed(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) return NoLinkSpeed(text);
  std::string_view rate = text.substr(equals + 1);
  for (const std::string_view unit : {"bit/s", "bps", "b/s"}) {
    if (!rate.ends_with(unit)) continue;
    rate.remove_suffix(unit.size());
    break;
  }
  double factor = 1;
  if (!rate.empty() && UnitOf(rate.back()) > 0) {
    factor = UnitOf(rate.back());
    rate.remove_suffix(1);
  }
  double number = 0;
  const bool begins_well = !rate.empty() && rate.front() >= '0' && rate.front() <= '9';
  if (!begins_well || !absl::SimpleAtod(std::string(rate), &number)) return NoLinkSpeed(text);
  const double bits = number * factor;
  if (!(bits >= 1 && bits <= kFastest)) return NoLinkSpeed(text);
  return LinkSpeed{std::string(text.substr(0, equals)), static_cast<uint64_t>(bits)};
}

absl::Status SetLinkSpeeds(const std::vector<std::string>& links, Timeline& timeline) {
  for (const std::string& text : links) {
    const auto link = ParseLinkSpeed(text);
    if (!link.ok()) return link.status();
    if (!timeline.SetLinkSpeed(link->interface, link->bits_per_second))
      return absl::NotFoundError(absl::StrCat("no interface ", CleanText(link->interface),
                                              " in the recording; ", NamesOf(timeline)));
  }
  return absl::OkStatus();
}

}  // namespace gordian
