// SPDX-License-Identifier: Apache-2.0
// The resources of one node, by what they tell and by name. Inner to the library.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/report.pb.h"
#include "words/quantities.h"

namespace gordian {

struct MachineLine {
  std::string text;
  bool warns = false;
};

class MachineRows {
 public:
  using Named = std::map<std::string, const pb::MachineResource*>;

  void Add(const pb::MachineResource& resource) {
    rows_[resource.what()].emplace(resource.name(), &resource);
  }
  const Named& Of(const std::string& what) const {
    static const Named kNone;
    const auto found = rows_.find(what);
    return found == rows_.end() ? kNone : found->second;
  }
  // Null if there is none.
  const pb::MachineResource* Find(const std::string& what, const std::string& name) const {
    const auto found = Of(what).find(name);
    return found == Of(what).end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, Named> rows_;
};

inline std::string BytesText(double amount) { return FormatSize(static_cast<uint64_t>(amount)); }
inline std::string ByteRateText(double bytes) { return absl::StrCat(BytesText(bytes), "/s"); }

// Share of the time for which it was full.
inline double FullShare(const pb::MachineResource& resource) {
  return resource.known_s() > 0 ? resource.full_s() / resource.known_s() : 0;
}
// Share of the time for which a rate of unknown capacity stayed at its highest.
inline double HighestShare(const pb::MachineResource& resource) {
  return resource.known_s() > 0 ? resource.highest_s() / resource.known_s() : 0;
}
// Of a rate: how much in all.
inline double TotalOf(const pb::MachineResource* rate) {
  return rate == nullptr ? 0 : rate->mean() * rate->known_s();
}

// Limits that were met, or nearly: of memory, quotas, connections and open files.
void AddLimitLines(const MachineRows& rows, std::vector<MachineLine>& lines);

}  // namespace gordian
