// SPDX-License-Identifier: Apache-2.0
#include "import/activity_csv.h"

#include <algorithm>

#include "fmt/format.h"

namespace gordian {
namespace {

constexpr size_t kActivityFields = 7;
constexpr std::string_view kActivityColumns =
    "src_worker,src_ns,dst_worker,dst_ns,type,label,traversable";

}  // namespace

bool ActivityCsv::IsHeader() const {
  std::string_view rest = kActivityColumns;
  for (size_t i = 0; i < fields_.size(); ++i) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (fields_[i] != name) return false;
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return rest.empty();
}

absl::Status ActivityCsv::Point(size_t field, std::string_view worker_name,
                                std::string_view time_name, std::string_view& worker,
                                uint64_t& time_ns) const {
  worker = fields_[field];
  if (worker.empty()) return absl::InvalidArgumentError(fmt::format("{} is empty", worker_name));
  return ParseNumber(time_name, fields_[field + 1], kMaxActivityNs, time_ns);
}

// Empty lines tell nothing. No text is a comment, as any may be a worker's name.
absl::Status ActivityCsv::TakeRecord(std::string_view record) {
  if (record.empty()) return absl::OkStatus();
  const bool is_first = !begun_;
  begun_ = true;
  if (!IsUtf8(record)) return absl::InvalidArgumentError("not UTF-8 text");
  if (absl::Status status = fields_.Split(record); !status.ok()) return status;
  if (is_first && IsHeader()) return absl::OkStatus();
  if (fields_.size() != kActivityFields) {
    return absl::InvalidArgumentError(fmt::format("{} fields, not the {} of {}", fields_.size(),
                                                  kActivityFields, kActivityColumns));
  }
  ToldActivity activity;
  absl::Status status = Point(0, "src_worker", "src_ns", activity.src_worker, activity.src_ns);
  if (status.ok()) status = Point(2, "dst_worker", "dst_ns", activity.dst_worker, activity.dst_ns);
  if (!status.ok()) return status;
  activity.type = fields_[4];
  activity.label = fields_[5];
  const std::string_view traversable = fields_[6];
  if (traversable != "0" && traversable != "1") {
    return absl::InvalidArgumentError(
        fmt::format("traversable must be 0 or 1, not {}", Quoted(traversable)));
  }
  activity.traversable = traversable == "1";
  return sink_.Add(activity);
}

}  // namespace gordian
