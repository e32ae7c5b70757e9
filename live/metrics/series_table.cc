// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/series_table.h"

#include "words/command_line.h"

namespace gordian {
namespace {

constexpr double kPlaceIsFreeAfterS = 3600;

}  // namespace

void SeriesTable::Begin(double at_s) {
  now_s_ = at_s;
  std::erase_if(entries_, [at_s](const auto& entry) {
    return at_s - entry.second.seen_s > kPlaceIsFreeAfterS;
  });
  if (lifetime_ == Lifetime::kGrowing) return;
  for (auto& [labels, entry] : entries_) entry.is_told = false;
  rest_.is_told = false;
}

void SeriesTable::Add(const Labels& labels, double value) {
  Labels clean;
  clean.reserve(labels.size());
  for (const std::string& label : labels) clean.push_back(BoundedText(label));
  auto found = entries_.find(clean);
  if (clean == other_ || (found == entries_.end() && entries_.size() >= most_))
    return AddOther(value);
  if (found == entries_.end()) found = entries_.emplace(clean, Entry{}).first;
  Entry& entry = found->second;
  entry.value = entry.is_told ? entry.value + value : value;
  entry.is_told = true;
  entry.seen_s = now_s_;
}

void SeriesTable::AddOther(double value) {
  rest_.value = rest_.is_told ? rest_.value + value : value;
  rest_.is_told = true;
}

std::map<SeriesTable::Labels, double> SeriesTable::Samples() const {
  std::map<Labels, double> samples;
  for (const auto& [labels, entry] : entries_)
    if (entry.is_told) samples.emplace(labels, entry.value);
  if (rest_.is_told) samples.emplace(other_, rest_.value);
  return samples;
}

}  // namespace gordian
