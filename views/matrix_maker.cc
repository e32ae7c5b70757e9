// SPDX-License-Identifier: Apache-2.0
#include "views/matrix_maker.h"

#include <algorithm>
#include <tuple>

namespace gordian {
namespace {

bool StandsBefore(const MatrixUnit& a, const MatrixUnit& b) {
  return std::tie(a.kind, a.number, a.name) < std::tie(b.kind, b.number, b.name);
}

}  // namespace

uint32_t MatrixMaker::Unit(MatrixUnit unit) {
  const Key key{unit.kind, unit.number, unit.number == kNoUnit ? unit.name : ""};
  const auto [entry, is_new] = numbers_.emplace(key, static_cast<uint32_t>(units_.size()));
  if (is_new) units_.push_back(std::move(unit));
  return entry->second;
}

void MatrixMaker::Add(uint32_t from, uint32_t to, const MatrixEntry& amounts) {
  if (amounts.amount == 0 && amounts.weight_ns == 0 && amounts.count == 0) return;
  MatrixEntry& entry = entries_[{from, to}];
  entry.amount += amounts.amount;
  entry.weight_ns += amounts.weight_ns;
  entry.count += amounts.count;
}

Matrix MatrixMaker::Take(size_t most_units) {
  // By the amounts of their rows and columns.
  std::vector<std::pair<uint64_t, uint32_t>> order;  // amount, unit
  for (uint32_t unit = 0; unit < units_.size(); ++unit) order.emplace_back(0, unit);
  std::vector<uint8_t> is_used(units_.size());
  for (const auto& [ends, entry] : entries_) {
    for (const uint32_t unit : {ends.first, ends.second}) {
      order[unit].first += entry.amount;
      is_used[unit] = 1;
    }
  }
  std::erase_if(order, [&](const auto& item) { return is_used[item.second] == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Matrix matrix;
  const size_t kept = std::min(order.size(), std::max<size_t>(most_units, 1));
  matrix.others = order.size() - kept;
  order.resize(kept);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return StandsBefore(units_[a.second], units_[b.second]);
  });
  std::vector<uint32_t> number(units_.size(), static_cast<uint32_t>(kept));
  for (uint32_t i = 0; i < order.size(); ++i) {
    number[order[i].second] = i;
    matrix.units.push_back(units_[order[i].second]);
  }
  if (matrix.others > 0)
    matrix.units.push_back(
        {.kind = MatrixUnitKind::kOthers, .number = kNoUnit, .name = "others", .node = kNoUnit});
  std::map<std::pair<uint32_t, uint32_t>, MatrixEntry> renumbered;
  for (const auto& [ends, entry] : entries_) {
    MatrixEntry& sum = renumbered[{number[ends.first], number[ends.second]}];
    sum.amount += entry.amount;
    sum.weight_ns += entry.weight_ns;
    sum.count += entry.count;
  }
  for (auto& [ends, entry] : renumbered) {
    entry.from = ends.first;
    entry.to = ends.second;
    matrix.entries.push_back(entry);
  }
  return matrix;
}

}  // namespace gordian
