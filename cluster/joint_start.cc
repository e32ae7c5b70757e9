// SPDX-License-Identifier: Apache-2.0
#include "cluster/joint_start.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

// To convert the instant into a node's own time; the daemons measure each other by themselves.
constexpr int kExchanges = 5;
// An exchange that took too long, of packets lost or a machine with too much to do, is no reason to
// leave a node out that has attached everything already.
constexpr int kMeasurements = 3;
// Between the decision and the instant all nodes must hear of it: some round trips, and this
// machine's time to send so many requests.
constexpr uint64_t kShortestNoticeNs = 50'000'000;
constexpr uint64_t kNoticePerNodeNs = 2'000'000;
constexpr uint64_t kRoundTripsOfNotice = 8;
// A node that has too much to do may come late; one that has not begun by then does not.
constexpr absl::Duration kLongestDelay = absl::Seconds(5);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(5);

// Recordings of a session pause and go on at borders of slots (recorder/recording/
// pause_timetable.h). A long session needs no more windows than a short one.
constexpr uint64_t kShortestSlotNs = 1'000'000'000;
constexpr uint64_t kLongestSlotNs = 4'000'000'000;
constexpr uint64_t kSlotsInASession = 512;

uint64_t SlotNsFor(uint64_t duration_ns) {
  return std::clamp(duration_ns / kSlotsInASession, kShortestSlotNs, kLongestSlotNs);
}

// The state of one node while it is started.
struct Starting {
  std::optional<pb::SessionStatus> armed;
  std::vector<std::string> cut;
  MeasuredClock clock;
  bool begun = false;
  uint64_t late_ns = 0;
};

absl::Status ArmNode(Cluster& cluster, size_t index, pb::StartRequest request, Starting& starting) {
  request.set_node(cluster.node(index).name);
  pb::ClockReference& reference = *request.mutable_clock_reference();
  reference.set_name(cluster.reference().name);
  const bool is_reference = cluster.node(index).name == cluster.reference().name;
  reference.set_address(is_reference ? "" : cluster.reference().address.text());
  absl::StatusOr<pb::StartResponse> response = cluster.client(index).Ask(rpc::kArm, request);
  if (!response.ok()) return response.status();
  starting.armed = std::move(*response->mutable_session());
  starting.cut.assign(response->cut().begin(), response->cut().end());
  return absl::OkStatus();
}

absl::Status MeasureNode(Cluster& cluster, size_t index, Starting& starting) {
  if (!starting.armed) return absl::OkStatus();
  absl::StatusOr<MeasuredClock> clock = cluster.client(index).MeasureClock(kExchanges);
  for (int i = 1; i < kMeasurements && absl::IsDeadlineExceeded(clock.status()); ++i) {
    clock = cluster.client(index).MeasureClock(kExchanges);
  }
  if (!clock.ok()) {
    starting.armed.reset();  // a node that cannot be told when to begin lets go by itself
    return clock.status();
  }
  starting.clock = *std::move(clock);
  return absl::OkStatus();
}

absl::Status BeginNode(Cluster& cluster, size_t index, const std::string& name, uint64_t instant_ns,
                       Starting& starting) {
  if (!starting.armed) return absl::OkStatus();
  pb::BeginRequest request;
  request.set_name(name);
  request.set_at_monotonic_ns(instant_ns +
                              static_cast<uint64_t>(starting.clock.offset.offset_ns()));
  const absl::StatusOr<pb::BeginResponse> response =
      cluster.client(index).Ask(rpc::kBegin, request);
  if (!response.ok()) return response.status();
  starting.begun = true;
  starting.late_ns = response->late_ns();
  return absl::OkStatus();
}

// Until it records and its session can be found, even if its daemon fails from then on.
absl::Status AwaitNode(Cluster& cluster, size_t index, const std::string& name,
                       Starting& starting) {
  if (!starting.begun) return absl::OkStatus();
  starting.begun = false;
  const absl::Time deadline = absl::Now() + kLongestDelay;
  pb::StatusRequest request;
  request.set_name(name);
  for (;; absl::SleepFor(kBetweenLooks)) {
    const absl::StatusOr<pb::StatusResponse> response =
        cluster.client(index).Ask(rpc::kStatus, request);
    if (!response.ok()) return response.status();
    if (response->sessions_size() != 1) return absl::NotFoundError("the session is gone");
    const pb::SessionStatus& session = response->sessions(0);
    if (!session.error().empty()) return absl::AbortedError(session.error());
    if (session.state() != "armed") break;
    if (absl::Now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("it had not begun ", absl::FormatDuration(kLongestDelay),
                       " after its time; gordian status shows whether it has since"));
    }
  }
  starting.begun = true;
  return absl::OkStatus();
}

uint64_t NoticeNs(const std::vector<Starting>& nodes) {
  uint64_t slowest_ns = 0;
  for (const Starting& node : nodes) {
    if (node.armed) slowest_ns = std::max(slowest_ns, 2 * node.clock.offset.bound_ns());
  }
  return std::max(kShortestNoticeNs,
                  kRoundTripsOfNotice * slowest_ns + kNoticePerNodeNs * nodes.size());
}

void NoteFailures(const std::vector<absl::Status>& statuses, JointStart& start) {
  for (size_t node = 0; node < statuses.size(); ++node) {
    if (!statuses[node].ok()) start.failures.push_back({node, statuses[node]});
  }
}

// Takes back the armed or begun sessions on all nodes.
void GiveUp(Cluster& cluster, const std::string& name, const std::vector<Starting>& nodes,
            JointStart& start) {
  pb::StopRequest request;
  request.set_name(name);
  const auto stop = [&](size_t index) {
    if (!nodes[index].armed) return absl::OkStatus();
    return cluster.client(index).Ask(rpc::kStop, request).status();
  };
  NoteFailures(cluster.ForEach(stop), start);
  start.was_given_up = true;
}

void DescribeBegun(const std::vector<Starting>& nodes, JointStart& start) {
  for (const Starting& node : nodes) {
    if (!node.begun) continue;
    ++start.begun;
    start.bound_ns = std::max(start.bound_ns, node.clock.offset.bound_ns());
    start.late_ns = std::max(start.late_ns, node.late_ns);
    start.duration_ns = std::max(start.duration_ns, node.armed->duration_ns());
  }
}

}  // namespace

JointStart StartTogether(Cluster& cluster, pb::StartRequest request, bool require_all) {
  // A seed that no rhythm on the nodes has anything to do with.
  pb::PauseTimetable& timetable = *request.mutable_pause_timetable();
  timetable.set_seed(std::random_device()() * (uint64_t{1} << 32) + std::random_device()());
  timetable.set_slot_ns(SlotNsFor(request.duration_ns()));
  JointStart start;
  std::vector<Starting> nodes(cluster.size());
  const std::string& name = request.name();
  const auto gives_up = [&] {
    if (!require_all || start.failures.empty()) return false;
    GiveUp(cluster, name, nodes, start);
    return true;
  };
  const auto arm = [&](size_t index) { return ArmNode(cluster, index, request, nodes[index]); };
  NoteFailures(cluster.ForEach(arm), start);
  if (start.failures.size() == nodes.size() || gives_up()) return start;
  for (size_t index = 0; index < nodes.size(); ++index)
    for (const std::string& cut : nodes[index].cut)
      start.cuts[cut].push_back(cluster.node(index).name);

  // Now that no node is busy with attaching any more.
  const auto measure = [&](size_t index) { return MeasureNode(cluster, index, nodes[index]); };
  NoteFailures(cluster.ForEach(measure), start);
  if (gives_up()) return start;

  const uint64_t instant_ns = MonotonicNowNs() + NoticeNs(nodes);
  const auto begin = [&](size_t index) {
    return BeginNode(cluster, index, name, instant_ns, nodes[index]);
  };
  NoteFailures(cluster.ForEach(begin), start);
  if (gives_up() || start.failures.size() == nodes.size()) return start;

  // When this returns, they record.
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds{static_cast<int64_t>(instant_ns)}));
  const auto await = [&](size_t index) { return AwaitNode(cluster, index, name, nodes[index]); };
  NoteFailures(cluster.ForEach(await), start);
  if (!gives_up()) DescribeBegun(nodes, start);
  return start;
}

}  // namespace gordian
