// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/workload_report.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "absl/status/status.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

constexpr double kMostExact = 9007199254740992;  // 2^53: as a time, 104 days

using google::protobuf::Struct;
using google::protobuf::Value;

// Absent members read as zero, empty or false: the checks on tids and roles below find them.
const Value& Member(const Struct& object, const std::string& name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? Value::default_instance() : found->second;
}

template <typename Integer>
Integer Number(const Struct& object, const std::string& name, double most = 2147483647) {
  const double value = Member(object, name).number_value();
  return value >= 0 && value <= most ? static_cast<Integer>(value) : 0;
}

std::string Text(const Struct& object, const std::string& name) {
  return Member(object, name).string_value();
}

}  // namespace

absl::StatusOr<WorkloadReport> ParseWorkloadReport(const std::string& json) {
  Struct root;
  if (!google::protobuf::util::JsonStringToMessage(json, &root).ok()) {
    return absl::InvalidArgumentError("the workload's report is not JSON");
  }
  WorkloadReport report;
  const Struct& disk = Member(root, "disk").struct_value();
  report.disk = DiskId(Number<uint32_t>(disk, "major"), Number<uint32_t>(disk, "minor"));
  for (const Value& value : Member(root, "threads").list_value().values()) {
    const Struct& object = value.struct_value();
    WorkloadThread thread{
        .role = Text(object, "role"),
        .tid = Number<int32_t>(object, "tid"),
        .woken_by = Text(object, "woken_by"),
        .context = Text(object, "context"),
        .operations = Number<uint64_t>(object, "operations"),
        .in_turns = Member(object, "in_turns").bool_value(),
        .blocks = Number<uint64_t>(object, "blocks"),
        .counted_until_ns = Number<uint64_t>(object, "counted_until_ns", kMostExact)};
    if (thread.role.empty() || thread.tid == 0) {
      return absl::InvalidArgumentError("the workload's report has a thread without role or tid");
    }
    report.threads.push_back(std::move(thread));
  }
  if (report.threads.empty()) {
    return absl::InvalidArgumentError("the workload's report names no threads");
  }
  return report;
}

}  // namespace gordian
