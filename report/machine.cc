// SPDX-License-Identifier: Apache-2.0
#include "report/machine.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "report/thresholds.h"

namespace gordian {
namespace {

bool IsRate(pb::ResourceKind kind) {
  return kind == pb::RESOURCE_DISK_READ || kind == pb::RESOURCE_DISK_WRITE ||
         kind == pb::RESOURCE_DISK_OPERATIONS || kind == pb::RESOURCE_NET_RECEIVE ||
         kind == pb::RESOURCE_NET_SEND;
}

class MachineSums {
 public:
  explicit MachineSums(const TimeRange& range) : range_(range) {}

  void Take(const ResourceReading& reading) {
    if (reading.end_ns <= range_.from_ns || reading.end_ns > range_.to_ns) return;
    const Key key = {reading.kind->kind, std::string(reading.name)};
    Sum& sum = sums_[key];
    const auto length_ns = static_cast<double>(reading.end_ns - reading.start_ns);
    sum.used += reading.value * length_ns;
    sum.known_ns += length_ns;
    sum.most = std::max(sum.most, reading.value);
    sum.capacity = std::max(sum.capacity, reading.capacity);
    sum.is_told |= reading.is_told;
    if (reading.capacity > 0 && reading.value >= kFullResource * reading.capacity)
      sum.full_ns += length_ns;
    if (reading.capacity == 0 && IsRate(key.first)) sum.rates.push_back({reading.value, length_ns});
  }

  void Fill(const std::string& node, pb::Report& report) {
    for (const auto& [key, sum] : sums_) {
      const ResourceKindWords& kind = *FindResourceKind(key.first);
      pb::MachineResource& row = *report.add_machine();
      row.set_node(node);
      row.set_what(kind.name);
      row.set_name(key.second);
      row.set_unit(kind.unit);
      row.set_mean(sum.used / sum.known_ns);
      row.set_most(sum.most);
      row.set_capacity(sum.capacity);
      row.set_full_s(sum.full_ns / kNsPerSecond);
      row.set_known_s(sum.known_ns / kNsPerSecond);
      if (sum.capacity > 0) {
        row.set_capacity_from(sum.is_told ? kCapacityOfOption : kCapacityOfKernel);
      } else {
        row.set_highest_s(HighestNs(sum) / kNsPerSecond);
      }
    }
  }

 private:
  using Key = std::pair<pb::ResourceKind, std::string>;  // kind, name
  struct Sum {
    double used = 0;  // unit · ns
    double known_ns = 0;
    double most = 0;
    double capacity = 0;
    double full_ns = 0;
    bool is_told = false;
    struct Rate {
      double value;
      double length_ns;
    };
    std::vector<Rate> rates;  // without a capacity
  };

  static double HighestNs(const Sum& sum) {
    double highest_ns = 0;
    for (const auto& [value, length_ns] : sum.rates) {
      if (sum.most > 0 && value >= kFullResource * sum.most) highest_ns += length_ns;
    }
    return highest_ns;
  }

  const TimeRange& range_;
  std::map<Key, Sum> sums_;
};

}  // namespace

void AddMachine(std::span<const ResourceReading> readings, const std::string& node,
                const TimeRange& range, pb::Report& report) {
  MachineSums sums(range);
  for (const ResourceReading& reading : readings) sums.Take(reading);
  sums.Fill(node, report);
}

}  // namespace gordian
