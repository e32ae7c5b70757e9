// SPDX-License-Identifier: Apache-2.0
#include "analysis/capacities.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr int kMostLines = 10'000;
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

// Whether it ended so; then it does no longer.
bool TakeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// What stands before the first of these letters, taken from the text with that letter.
std::string_view TakeUntil(std::string_view& text, std::string_view letters) {
  const size_t end = std::min(text.size(), text.find_first_of(letters));
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return before;
}

absl::Status NoLinkSpeed(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", CleanText(text), "' is no speed of a link: give eth0=1G (bits per second)"));
}

absl::Status NoDiskCapacity(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", CleanText(text),
                   "' is no capacity of a disk: give nvme0n1=500MB/s,20kIOPS, or one of both"));
}

// "500M", "2.5G", "9600", with "i" for powers of 1024 where that is allowed.
std::optional<double> ParseAmount(std::string_view text, bool binary_units) {
  const bool is_binary = binary_units && TakeSuffix(text, "i");
  double factor = 1;
  if (!text.empty() && UnitOf(text.back()) > 0) {
    factor = UnitOf(text.back());
    text.remove_suffix(1);
  }
  if (is_binary) {
    double binary = 1;
    for (double decimal = 1; decimal < factor; decimal *= 1e3) binary *= 1024;
    factor = binary;
  }
  double number = 0;
  const bool begins_well = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!begins_well || !absl::SimpleAtod(std::string(text), &number)) return {};
  const double amount = number * factor;
  if (!(amount >= 1 && amount <= kFastest)) return {};
  return amount;
}

std::string ListOf(const std::set<std::string>& names) {
  return names.empty() ? "it has none" : absl::StrCat("it has ", absl::StrJoin(names, ", "));
}

std::string InterfacesOf(const Timeline& timeline) {
  std::set<std::string> names;
  for (const pb::Interface& interface : timeline.session().interfaces()) {
    if (!interface.loopback() && !interface.name().empty())
      names.insert(CleanText(interface.name()));
  }
  return ListOf(names);
}

absl::Status RequireDisk(const std::string& name, const Timeline& timeline) {
  std::set<std::string> names;
  for (const pb::Disk& disk : timeline.session().disks()) {
    if (disk.name() == name) return absl::OkStatus();
    names.insert(CleanText(disk.name()));
  }
  return absl::NotFoundError(
      absl::StrCat("no disk ", CleanText(name), " in the recording; ", ListOf(names)));
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
  const std::optional<double> bits = ParseAmount(rate, /*binary_units=*/false);
  if (!bits) return NoLinkSpeed(text);
  return LinkSpeed{std::string(text.substr(0, equals)), static_cast<uint64_t>(*bits)};
}

absl::StatusOr<DiskCapacity> ParseDiskCapacity(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) return NoDiskCapacity(text);
  DiskCapacity disk{.disk = std::string(text.substr(0, equals)), .capacity = {}};
  std::string_view rest = text.substr(equals + 1);
  bool is_last = false;
  while (!is_last) {
    is_last = rest.find(',') == rest.npos;
    std::string_view part = Trimmed(TakeUntil(rest, ","));
    const bool is_operations = TakeSuffix(part, "IOPS");
    const bool is_bytes = !is_operations && TakeSuffix(part, "B/s");
    double& there =
        is_operations ? disk.capacity.operations_per_second : disk.capacity.bytes_per_second;
    const std::optional<double> amount = ParseAmount(part, /*binary_units=*/is_bytes);
    if ((!is_operations && !is_bytes) || !amount || there != 0) return NoDiskCapacity(text);
    there = *amount;
  }
  return disk;
}

absl::Status ReadCapacityFile(const std::string& path, CapacityOptions& options) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", CleanText(path)));
  std::string line;
  for (int number = 1; number <= kMostLines && std::getline(file, line); ++number) {
    std::string_view words = line;
    std::string_view said = Trimmed(TakeUntil(words, "#"));
    const std::string_view kind = TakeUntil(said, " \t");
    const std::string text(Trimmed(said));
    if (kind.empty()) continue;
    absl::Status status = absl::InvalidArgumentError("give link NAME=RATE or disk NAME=RATES");
    if (kind == "link") {
      status = ParseLinkSpeed(text).status();
      options.links.push_back(text);
    } else if (kind == "disk") {
      status = ParseDiskCapacity(text).status();
      options.disks.push_back(text);
    }
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(CleanText(path), ", line ", number, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ToldCapacities> ParseCapacities(const CapacityOptions& options) {
  constexpr double kBitsPerByte = 8;
  ToldCapacities told;
  for (const std::string& text : options.links) {
    const auto link = ParseLinkSpeed(text);
    if (!link.ok()) return link.status();
    told.link_bytes_per_second[link->interface] =
        static_cast<double>(link->bits_per_second) / kBitsPerByte;
  }
  for (const std::string& text : options.disks) {
    const auto disk = ParseDiskCapacity(text);
    if (!disk.ok()) return disk.status();
    told.disks[disk->disk] = disk->capacity;
  }
  return told;
}

absl::Status SetCapacities(const CapacityOptions& options, Timeline& timeline) {
  for (const std::string& text : options.links) {
    const auto link = ParseLinkSpeed(text);
    if (!link.ok()) return link.status();
    if (!timeline.SetLinkSpeed(link->interface, link->bits_per_second))
      return absl::NotFoundError(absl::StrCat("no interface ", CleanText(link->interface),
                                              " in the recording; ", InterfacesOf(timeline)));
  }
  for (const std::string& text : options.disks) {
    const auto disk = ParseDiskCapacity(text);
    if (!disk.ok()) return disk.status();
    if (absl::Status status = RequireDisk(disk->disk, timeline); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
