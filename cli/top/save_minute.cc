// SPDX-License-Identifier: Apache-2.0
#include "cli/top/save_minute.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "live/cut_last.h"

namespace gordian {
namespace {

constexpr uint64_t kMinuteNs = 60 * kNsPerSecond;

// top-db1-20261124T063921Z
std::string FolderName(const LiveMoment& moment) {
  std::string name = "top";
  for (const std::string& part : {moment.frame.session(), moment.frame.at()}) {
    if (part.empty()) continue;
    name += '-';
    for (const char byte : part)
      if (std::isalnum(static_cast<unsigned char>(byte)) != 0) name += byte;
  }
  if (moment.frame.at().empty())
    absl::StrAppend(&name, "-", static_cast<uint64_t>(std::max(moment.frame.to_s(), 0.0)));
  return name;
}

}  // namespace

absl::StatusOr<std::string> SaveMinute(const LiveMoment& moment, const std::string& beside) {
  const std::string name = FolderName(moment);
  const std::string out = beside == "." ? name : absl::StrCat(beside, "/", name);
  if (auto status = CutLastOf(moment.nodes, kMinuteNs, out); !status.ok()) return status;
  return out;
}

}  // namespace gordian
