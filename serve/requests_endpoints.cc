// SPDX-License-Identifier: Apache-2.0
// The requests of a recording's servers.
//
//   requests?port=80,443&phase=NAME&slowest=N&from=NS&to=NS     Requests of schema/requests.proto
//
// Of each of the slowest its first kMostToldSteps steps are told; its times are of all. Without any
// request the answer is {"none_because": "one line"}.
#include <array>
#include <utility>

#include "analysis/recorded_requests.h"
#include "output/json_writer.h"
#include "output/message_json.h"
#include "serve/all_endpoints.h"

namespace gordian {
namespace {

constexpr uint64_t kUsualSlowest = 20;
constexpr uint64_t kMostAskedSlowest = 100;
constexpr size_t kMostAskedPorts = 64;
// A bar of a page's width shows no more of them.
constexpr size_t kMostToldSteps = 500;
// Of all ports together; a whole machine may serve thousands.
constexpr int kMostToldPorts = 32;
constexpr int kMostToldClasses = 50;

// What a page shows of them; the rest is counted, or is in gordian requests.
void Shorten(pb::Requests& told) {
  if (told.ports_size() > kMostToldPorts) {
    pb::RequestCounter& counter = *told.add_counters();
    counter.set_name("ports_left_out");
    counter.set_value(static_cast<uint64_t>(told.ports_size() - kMostToldPorts));
    told.mutable_ports()->DeleteSubrange(kMostToldPorts, told.ports_size() - kMostToldPorts);
  }
  for (pb::RequestPort& port : *told.mutable_ports()) {
    if (port.classes_size() > kMostToldClasses)
      port.mutable_classes()->DeleteSubrange(kMostToldClasses,
                                             port.classes_size() - kMostToldClasses);
  }
}

std::string NoneBecause(const absl::Status& status) {
  JsonWriter json;
  json.BeginObject().String("none_because", std::string(status.message())).EndObject();
  return std::string(json.text());
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerRequests(const ViewRequest& request) {
  const std::array<std::string_view, 5> names = {"port", "phase", "slowest", "from", "to"};
  const ViewParameters& parameters = request.parameters;
  if (const auto status = CheckNames(parameters, names); !status.ok()) return status;
  RequestsQuestion question{.most_steps = kMostToldSteps, .stop_asked = request.stop_asked};
  const auto ports = GetUnsignedList(parameters, "port", kMostAskedPorts);
  if (!ports.ok()) return ports.status();
  for (const uint64_t port : *ports) {
    if (port == 0 || port > UINT16_MAX)
      return absl::InvalidArgumentError("port: numbers from 1 to 65535");
    question.ports.push_back(static_cast<uint16_t>(port));
  }
  auto phase = GetText(parameters, "phase");
  if (!phase.ok()) return phase.status();
  question.phase = *std::move(phase);
  const auto slowest = GetUnsigned(parameters, "slowest", kUsualSlowest, kMostAskedSlowest);
  if (!slowest.ok()) return slowest.status();
  question.most_slowest = *slowest;
  const auto range = GetAskedRange(parameters);
  if (!range.ok()) return range.status();
  AnalysisOptions options = request.recording.options();
  options.range = {.from_ns = range->from_ns, .to_ns = range->to_ns};
  auto told = RequestsOfAnalysis(request.analysis(), question, options);
  if (absl::IsNotFound(told.status())) return ViewAnswer{.body = NoneBecause(told.status())};
  if (!told.ok()) return told.status();
  Shorten(*told);
  return ViewAnswer{.body = MessageJson(*told, JsonShape::kCompact)};
}

}  // namespace gordian
