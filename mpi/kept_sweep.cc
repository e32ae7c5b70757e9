// SPDX-License-Identifier: Apache-2.0
#include "mpi/kept_sweep.h"

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Calls column(name, values) for each: one list for writing and reading.
template <typename Sweep, typename OfColumn>
void ForEachColumn(Sweep& swept, OfColumn column) {
  const auto groups = [&](const std::string& name, auto& rows) {
    column(absl::StrCat(name, ".rows"), rows.rows);
    column(absl::StrCat(name, ".ends"), rows.ends);
  };
  column("borders", swept.borders_ns);
  groups("edges", swept.edges);
  groups("straddlers", swept.straddlers);
  column("cyclic_links", swept.cyclic_links);
  groups("ledgers", swept.ledgers);
  column("disk_waits", swept.disk_waits);
}

template <typename Row>
bool IsOfWindows(const ColumnGroups<Row>& groups, size_t windows) {
  return groups.ends.size() == windows && std::is_sorted(groups.ends.begin(), groups.ends.end()) &&
         groups.rows.size() == (windows == 0 ? 0 : groups.ends.back());
}

template <typename Value>
void Take(std::span<const Value> kept, std::vector<Value>& values) {
  values.assign(kept.begin(), kept.end());
}

template <typename Value>
void Take(std::span<const Value> kept, Column<Value>& values) {
  values = Column<Value>::Over(kept);
}

bool IsWhole(const SweptWindows& swept) {
  const size_t windows = swept.cyclic_links.size();
  return swept.borders_ns.size() == windows + 1 &&
         std::is_sorted(swept.borders_ns.begin(), swept.borders_ns.end()) &&
         IsOfWindows(swept.edges, windows) && IsOfWindows(swept.straddlers, windows) &&
         IsOfWindows(swept.ledgers, windows);
}

}  // namespace

void KeepSweep(const SweptWindows& swept, StoreWriter& writer) {
  ForEachColumn(swept, [&]<typename Values>(const std::string& name, const Values& values) {
    using Value = std::remove_cvref_t<decltype(*values.begin())>;
    writer.AddColumn<Value>(name, values);
  });
}

absl::StatusOr<SweptWindows> KeptSweepOf(StoredEntry& entry) {
  SweptWindows swept;
  absl::Status failure;
  ForEachColumn(swept, [&]<typename Values>(const std::string& name, Values& values) {
    using Value = std::remove_cvref_t<decltype(*values.begin())>;
    const auto column = entry.Column<Value>(name);
    if (column.ok()) {
      Take<Value>(*column, values);
    } else {
      failure.Update(column.status());
    }
  });
  if (!failure.ok()) return failure;
  if (!IsWhole(swept)) return absl::DataLossError("a kept sweep contradicts itself");
  return swept;
}

}  // namespace gordian
