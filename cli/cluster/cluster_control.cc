#include "cli/cluster/cluster_control.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/session_text.h"
#include "cli/verb.h"
#include "recorder/sessions/session_name.h"
#include "recorder/sources/clock.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// To convert the instant into a node's own time; the daemons measure each other by themselves.
constexpr int kExchanges = 5;
// An exchange that took too long, of packets lost or a machine with too much to do, is no reason to
// leave a node out that has attached everything already.
constexpr int kMeasurements = 3;
// Between the decision and the instant all nodes must hear of it: some round trips, and what this
// machine takes to send so many requests.
constexpr uint64_t kShortestNoticeNs = 50'000'000;
constexpr uint64_t kNoticePerNodeNs = 2'000'000;
constexpr uint64_t kRoundTripsOfNotice = 8;
// A node that has too much to do may come late; one that has not begun by then does not.
constexpr absl::Duration kLongestDelay = absl::Seconds(5);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(5);

// What is known of one node while it is started.
struct Starting {
  std::optional<pb::SessionStatus> armed;
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
  absl::StatusOr<pb::StartResponse> response = cluster.client(index).Arm(request);
  if (!response.ok()) return response.status();
  starting.armed = std::move(*response->mutable_session());
  return absl::OkStatus();
}

absl::Status MeasureNode(Cluster& cluster, size_t index, Starting& starting) {
  if (!starting.armed) return absl::OkStatus();
  absl::StatusOr<MeasuredClock> clock = cluster.client(index).MeasureClock(kExchanges);
  for (int i = 1; i < kMeasurements && absl::IsDeadlineExceeded(clock.status()); ++i) {
    clock = cluster.client(index).MeasureClock(kExchanges);
  }
  if (!clock.ok()) {
    starting.armed.reset();  // what cannot be told when to begin lets go by itself
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
  const absl::StatusOr<pb::BeginResponse> response = cluster.client(index).Begin(request);
  if (!response.ok()) return response.status();
  starting.begun = true;
  starting.late_ns = response->late_ns();
  return absl::OkStatus();
}

// Until it records and its session can be found, whatever happens to its daemon from then on.
absl::Status AwaitNode(Cluster& cluster, size_t index, const std::string& name,
                       Starting& starting) {
  if (!starting.begun) return absl::OkStatus();
  starting.begun = false;
  const absl::Time deadline = absl::Now() + kLongestDelay;
  for (;; absl::SleepFor(kBetweenLooks)) {
    const absl::StatusOr<pb::StatusResponse> response = cluster.client(index).Status(name);
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

// Takes back what was armed or begun, so that it is nowhere.
int GiveUp(Cluster& cluster, const std::string& name, const std::vector<Starting>& nodes) {
  const auto statuses = cluster.ForEach([&](size_t index) {
    if (!nodes[index].armed) return absl::OkStatus();
    return cluster.client(index).Stop(name).status();
  });
  TellFailures(cluster, statuses);
  std::cerr << "gordian: " << name << " was not started anywhere, as --require-all asks\n";
  return kExitFailure;
}

void TellStarted(const std::string& name, const std::vector<Starting>& nodes) {
  size_t begun = 0;
  uint64_t bound_ns = 0;
  uint64_t late_ns = 0;
  uint64_t duration_ns = 0;
  for (const Starting& node : nodes) {
    if (!node.begun) continue;
    ++begun;
    bound_ns = std::max(bound_ns, node.clock.offset.bound_ns());
    late_ns = std::max(late_ns, node.late_ns);
    duration_ns = std::max(duration_ns, node.armed->duration_ns());
  }
  std::cout << "recording " << name << " on " << begun << " of " << nodes.size()
            << " nodes, begun together to within " << FormatDuration(bound_ns);
  if (late_ns > 0) std::cout << ", the last of them " << FormatDuration(late_ns) << " late";
  std::cout << "; it ends by itself after " << FormatDuration(duration_ns) << "\n";
}

}  // namespace

int StartOnNodes(Cluster& cluster, const pb::StartRequest& request, bool require_all) {
  std::vector<Starting> nodes(cluster.size());
  size_t failures = TellFailures(cluster, cluster.ForEach([&](size_t index) {
    return ArmNode(cluster, index, request, nodes[index]);
  }));
  if (failures == nodes.size()) return kExitFailure;
  if (failures > 0 && require_all) return GiveUp(cluster, request.name(), nodes);

  // Now that nobody is busy with attaching any more.
  const auto measured =
      cluster.ForEach([&](size_t index) { return MeasureNode(cluster, index, nodes[index]); });
  failures += TellFailures(cluster, measured);
  if (failures > 0 && require_all) return GiveUp(cluster, request.name(), nodes);

  const uint64_t instant_ns = MonotonicNowNs() + NoticeNs(nodes);
  failures += TellFailures(cluster, cluster.ForEach([&](size_t index) {
    return BeginNode(cluster, index, request.name(), instant_ns, nodes[index]);
  }));
  if (failures > 0 && require_all) return GiveUp(cluster, request.name(), nodes);
  if (failures == nodes.size()) return kExitFailure;
  // When the command returns, they record.
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds{static_cast<int64_t>(instant_ns)}));
  failures += TellFailures(cluster, cluster.ForEach([&](size_t index) {
    return AwaitNode(cluster, index, request.name(), nodes[index]);
  }));
  if (failures > 0 && require_all) return GiveUp(cluster, request.name(), nodes);
  if (failures == nodes.size()) return kExitFailure;
  TellStarted(request.name(), nodes);
  return ExitCodeOf(failures);
}

int StopOnNodes(Cluster& cluster, const std::string& name) {
  std::vector<pb::SessionStatus> ended(cluster.size());
  const auto statuses = cluster.ForEach([&](size_t index) {
    absl::StatusOr<pb::StopResponse> response = cluster.client(index).Stop(name);
    if (!response.ok()) return response.status();
    ended[index] = std::move(*response->mutable_session());
    if (ended[index].error().empty()) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat(name, " did not end as it should: ", ended[index].error()));
  });
  for (size_t i = 0; i < ended.size(); ++i) {
    if (ended[i].name().empty()) continue;
    std::cout << cluster.node(i).name << ": " << CleanText(SessionLine(ended[i]));
    if (ended[i].end_reason() != "asked") {
      std::cout << "; had ended: " << CleanText(ended[i].end_reason());
    }
    std::cout << "\n";
  }
  return ExitCodeOf(TellFailures(cluster, statuses));
}

int SnapshotOnNodes(Cluster& cluster, const pb::SnapshotRequest& request) {
  // One name on all of them, so that it can be collected.
  pb::SnapshotRequest named = request;
  if (named.snapshot_name().empty()) {
    named.set_snapshot_name(SnapshotName(request.name(), absl::GetCurrentTimeNanos()));
  }
  std::vector<uint64_t> bytes(cluster.size());
  const auto statuses = cluster.ForEach([&](size_t index) {
    const absl::StatusOr<pb::SnapshotResponse> response = cluster.client(index).Snapshot(named);
    if (response.ok()) bytes[index] = response->bytes_on_disk();
    return response.status();
  });
  const size_t failures = TellFailures(cluster, statuses);
  uint64_t total_bytes = 0;
  for (const uint64_t size : bytes) total_bytes += size;
  if (failures < cluster.size()) {
    std::cout << "snapshot " << named.snapshot_name() << " on " << cluster.size() - failures
              << " of " << cluster.size() << " nodes, " << FormatSize(total_bytes) << "\n";
  }
  return ExitCodeOf(failures);
}

int RemoveOnNodes(Cluster& cluster, const std::string& name) {
  std::vector<uint64_t> bytes(cluster.size());
  const auto statuses = cluster.ForEach([&](size_t index) {
    const absl::StatusOr<pb::RemoveResponse> response = cluster.client(index).Remove(name);
    if (response.ok()) bytes[index] = response->bytes_freed();
    return response.status();
  });
  const size_t failures = TellFailures(cluster, statuses);
  uint64_t total_bytes = 0;
  for (const uint64_t size : bytes) total_bytes += size;
  if (failures < cluster.size()) {
    std::cout << "removed " << name << " from " << cluster.size() - failures << " of "
              << cluster.size() << " nodes, " << FormatSize(total_bytes) << "\n";
  }
  return ExitCodeOf(failures);
}

}  // namespace gordian
