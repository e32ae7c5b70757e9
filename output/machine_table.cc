// SPDX-License-Identifier: Apache-2.0
#include "output/machine_table.h"

#include "absl/strings/str_format.h"
#include "output/machine_rows.h"
#include "output/text_table.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr double kInterruptsWorthARow = 0.01;  // of a CPU; there are dozens on each

constexpr double kLargeCount = 100;  // without a fraction

bool IsWorthARow(const pb::MachineResource& resource) {
  const bool is_interrupt = resource.what() == "softirq" || resource.what() == "hardirq";
  return is_interrupt ? resource.mean() >= kInterruptsWorthARow : resource.most() > 0;
}

// By its unit: 1.6 cores, 12 MiB/s, 40 %.
std::string AmountText(double amount, const std::string& unit) {
  if (unit == "B") return BytesText(amount);
  if (unit == "B/s") return ByteRateText(amount);
  if (unit.empty() || unit == "disks") return PercentText(amount);
  const bool is_large = amount >= kLargeCount;
  return absl::StrCat(
      is_large ? FormatCount(static_cast<uint64_t>(amount)) : absl::StrFormat("%.3g", amount), " ",
      CleanText(unit));
}

std::string CapacityText(const pb::MachineResource& resource) {
  if (resource.highest_s() > 0)
    return AmountText(resource.most(), resource.unit()) + " (highest seen)";
  if (resource.capacity() <= 0) return "";
  const std::string text = AmountText(resource.capacity(), resource.unit());
  return resource.capacity_from() == "option" ? text + " (as told)" : text;
}

}  // namespace

std::string MachineTable(const pb::Report& report) {
  using Align = TextTable::Align;
  TextTable table({{"resource"},
                   {"use", Align::kRight},
                   {"most", Align::kRight},
                   {"capacity", Align::kRight},
                   {"at capacity", Align::kRight}});
  for (const pb::MachineResource& resource : report.machine()) {
    if (!IsWorthARow(resource)) continue;
    const bool tells_full = resource.capacity() > 0 || resource.highest_s() > 0;
    table.AddRow({absl::StrCat(CleanText(resource.what()), resource.name().empty() ? "" : " ",
                               CleanText(resource.name())),
                  AmountText(resource.mean(), resource.unit()),
                  AmountText(resource.most(), resource.unit()), CapacityText(resource),
                  tells_full ? SecondsText(resource.full_s() + resource.highest_s()) : ""});
  }
  return table.empty() ? "" : table.ToString();
}

}  // namespace gordian
