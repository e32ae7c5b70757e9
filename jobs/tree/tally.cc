// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/tally.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr size_t kMaxExamples = 3;
constexpr size_t kMaxFaults = 8;  // each of another rule or field: all are worth to be mended
constexpr size_t kMaxExampleBytes = 160;

std::string Example(std::string_view file, uint64_t line_number, const std::string& what) {
  return absl::StrCat(std::string(file), ":", line_number, ": ", what);
}

}  // namespace

std::string ShortText(std::string_view text) {
  std::string shortened(text.substr(0, kMaxExampleBytes));
  if (shortened.size() < text.size()) shortened += "…";
  return shortened;
}

Tally::Entry& Tally::At(std::string_view name) {
  const auto [entry, is_new] = entries_.try_emplace(name);
  if (is_new && FindCounter(name) == nullptr) {
    std::fprintf(stderr, "the counter %.*s is not defined\n", static_cast<int>(name.size()),
                 name.data());
    std::abort();
  }
  return entry->second;
}

void Tally::Count(std::string_view name, uint64_t value) {
  if (value != 0) At(name).value += value;
}

void Tally::CountLine(std::string_view name, std::string_view file, uint64_t line_number,
                      absl::FunctionRef<std::string()> describe) {
  Entry& entry = At(name);
  ++entry.value;
  if (entry.examples.size() < kMaxExamples)
    entry.examples.push_back(Example(file, line_number, describe()));
}

void Tally::CountLine(std::string_view name, std::string_view file, uint64_t line_number,
                      std::string_view line) {
  CountLine(name, file, line_number, [line] { return ShortText(line); });
}

void Tally::CountFault(std::string_view name, uint64_t fault, std::string_view file,
                       uint64_t line_number, absl::FunctionRef<std::string()> describe) {
  Entry& entry = At(name);
  ++entry.value;
  if (entry.faults.size() >= kMaxFaults ||
      std::find(entry.faults.begin(), entry.faults.end(), fault) != entry.faults.end())
    return;
  entry.faults.push_back(fault);
  entry.examples.push_back(Example(file, line_number, describe()));
}

uint64_t Tally::Value(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? 0 : found->second.value;
}

std::vector<TalliedCounter> Tally::Counters() const {
  std::vector<TalliedCounter> counters;
  for (const auto& [name, entry] : entries_) {
    if (entry.value != 0) counters.push_back({std::string(name), entry.value, entry.examples});
  }
  std::sort(counters.begin(), counters.end(),
            [](const TalliedCounter& a, const TalliedCounter& b) { return a.name < b.name; });
  return counters;
}

}  // namespace gordian
