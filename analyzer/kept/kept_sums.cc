// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/kept_sums.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gordian {
namespace {

constexpr std::string_view kRows = ".rows";
constexpr std::string_view kEnds = ".ends";

std::string Named(std::string_view name, std::string_view part) {
  return std::string(name) + std::string(part);
}

// Calls column(name, span) for each plain column, and groups(name, RowGroupsView) for each other:
// one list for writing and reading.
template <typename View, typename OfColumn, typename OfGroups>
void ForEachPart(View& sums, OfColumn column, OfGroups groups) {
  column("borders", sums.borders_ns);
  groups("edges", sums.edges);
  groups("straddlers", sums.straddlers);
  column("cyclic_links", sums.cyclic_links);
  groups("ledgers", sums.ledgers);
  groups("devices", sums.devices);
  groups("work", sums.work);
  groups("ended_idle", sums.ended_idle);
  column("disks", sums.disks.disks);
  groups("disks.busy", sums.disks.busy);
  groups("disks.several", sums.disks.several);
  column("disks.without_end", sums.disks.requests_without_end);
}

template <typename Row>
bool AreGroups(const RowGroupsView<Row>& groups, size_t count) {
  return groups.ends.size() == count && std::is_sorted(groups.ends.begin(), groups.ends.end()) &&
         (count == 0 ? groups.rows.empty() : groups.ends.back() == groups.rows.size());
}

bool IsWhole(const WindowSumsView& sums) {
  const size_t windows = sums.windows();
  const size_t disks = sums.disks.disks.size();
  return (sums.borders_ns.size() == windows + 1 || (windows == 0 && sums.borders_ns.empty())) &&
         std::is_sorted(sums.borders_ns.begin(), sums.borders_ns.end()) &&
         AreGroups(sums.edges, windows) && AreGroups(sums.straddlers, windows) &&
         AreGroups(sums.ledgers, windows) && AreGroups(sums.devices, windows) &&
         AreGroups(sums.work, windows) && AreGroups(sums.ended_idle, windows) &&
         AreGroups(sums.disks.busy, disks) && AreGroups(sums.disks.several, disks) &&
         sums.disks.requests_without_end.size() == disks;
}

}  // namespace

void KeepSums(const WindowSumsView& sums, StoreWriter& writer) {
  ForEachPart(
      sums,
      [&]<typename Value>(std::string_view name, std::span<const Value> values) {
        writer.AddColumn<Value>(name, values);
      },
      [&]<typename Row>(std::string_view name, const RowGroupsView<Row>& groups) {
        writer.AddColumn<Row>(Named(name, kRows), groups.rows);
        writer.AddColumn<uint64_t>(Named(name, kEnds), groups.ends);
      });
}

absl::StatusOr<KeptSums> KeptSums::Of(StoredEntry entry) {
  auto kept = std::make_unique<StoredEntry>(std::move(entry));
  WindowSumsView sums;
  absl::Status failure;
  const auto read = [&]<typename Value>(std::string_view name, std::span<const Value>& values) {
    auto column = kept->Column<Value>(name);
    if (column.ok()) {
      values = *column;
    } else {
      failure.Update(column.status());
    }
  };
  ForEachPart(sums, read, [&]<typename Row>(std::string_view name, RowGroupsView<Row>& groups) {
    read(Named(name, kRows), groups.rows);
    read(Named(name, kEnds), groups.ends);
  });
  if (!failure.ok()) return failure;
  if (!IsWhole(sums)) return absl::DataLossError("kept sums contradict themselves");
  return KeptSums(std::move(kept), sums);
}

}  // namespace gordian
