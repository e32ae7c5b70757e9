// SPDX-License-Identifier: Apache-2.0
#include "cluster/collect.h"

#include <grpcpp/client_context.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "cluster/file_receiver.h"
#include "recorder/control/rate_limit.h"
#include "recorder/sessions/session_name.h"
#include "words/quantities.h"

namespace gordian {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxNodesAtOnce = 8;
constexpr int kMaxFiles = 1'000'000;
constexpr uint64_t kMaxFileBytes = 1ull << 50;
constexpr uint64_t kLeftFreeBytes = 64u << 20;
// A file that takes longer than it would at this pace is given up; the next attempt goes on.
constexpr uint64_t kSlowestBytesPerSecond = 256u << 10;
constexpr int kAttempts = 3;
constexpr auto kBetweenAttempts = std::chrono::seconds(1);

// The files of one node, and how much of them has to come.
struct NodeFiles {
  pb::FilesResponse files;
  std::string directory;
  uint64_t missing_bytes = 0;
};

class Collection {
 public:
  Collection(Cluster& cluster, const CollectOptions& options, CollectProgress& progress)
      : cluster_(cluster),
        options_(options),
        progress_(progress),
        nodes_(cluster.size()),
        rate_(options.bytes_per_second) {}

  absl::Status Plan(size_t index);
  absl::Status CheckSpace();
  absl::Status Fetch(size_t index);

 private:
  absl::Status FetchFile(ControlClient& client, const std::string& directory,
                         const pb::SessionFile& file);
  absl::Status Receive(ControlClient& client, const pb::SessionFile& file, FileReceiver& receiver);
  std::chrono::seconds DeadlineOf(uint64_t bytes) const;

  Cluster& cluster_;
  const CollectOptions& options_;
  CollectProgress& progress_;
  std::vector<NodeFiles> nodes_;
  RateLimit rate_;
  uint64_t missing_bytes_ = 0;
};

absl::Status Collection::Plan(size_t index) {
  NodeFiles& node = nodes_[index];
  pb::FilesRequest request;
  request.set_name(options_.session);
  absl::StatusOr<pb::FilesResponse> files = cluster_.client(index).Ask(rpc::kFiles, request);
  if (!files.ok()) return files.status();
  if (absl::Status status = CheckFiles(*files); !status.ok()) return status;
  node.files = *std::move(files);
  node.directory = absl::StrCat(options_.directory, "/", cluster_.node(index).name);
  for (const pb::SessionFile& file : node.files.files()) {
    if (FileReceiver::IsThere(node.directory, file)) continue;
    node.missing_bytes += file.size_bytes() - FileReceiver::PartialBytes(node.directory, file);
  }
  return absl::OkStatus();
}

absl::Status Collection::CheckSpace() {
  for (const NodeFiles& node : nodes_) missing_bytes_ += node.missing_bytes;
  progress_.missing_bytes = missing_bytes_;
  std::error_code error;
  fs::create_directories(options_.directory, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", options_.directory, ": ", error.message()));
  }
  const fs::space_info space = fs::space(options_.directory, error);
  if (error || space.available >= missing_bytes_ + kLeftFreeBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      FormatSize(missing_bytes_), " are to come, and ", options_.directory, " has room for ",
      FormatSize(space.available), "; make room, or give another folder with -o"));
}

absl::Status Collection::Fetch(size_t index) {
  const NodeFiles& node = nodes_[index];
  std::error_code error;
  fs::create_directories(node.directory, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", node.directory, ": ", error.message()));
  }
  for (const pb::SessionFile& file : node.files.files()) {
    if (FileReceiver::IsThere(node.directory, file)) continue;
    absl::Status status = FetchFile(cluster_.client(index), node.directory, file);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A connection that was cut, or a node with too much to do, is tried again: the received part
// stays.
absl::Status Collection::FetchFile(ControlClient& client, const std::string& directory,
                                   const pb::SessionFile& file) {
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kBetweenAttempts);
    absl::StatusOr<FileReceiver> receiver = FileReceiver::Open(directory, file);
    if (!receiver.ok()) return receiver.status();
    status = Receive(client, file, *receiver);
    const bool passing =
        absl::IsUnavailable(status) || absl::IsDataLoss(status) || absl::IsDeadlineExceeded(status);
    if (!passing) break;
  }
  return status;
}

absl::Status Collection::Receive(ControlClient& client, const pb::SessionFile& file,
                                 FileReceiver& receiver) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       DeadlineOf(file.size_bytes() - receiver.received_bytes()));
  pb::FetchRequest request;
  request.set_name(options_.session);
  request.set_file(file.name());
  request.set_offset(receiver.received_bytes());
  const auto parts = client.Fetch(context, request);
  pb::FetchPart part;
  std::string checksum;
  absl::Status status;
  while (status.ok() && parts->Read(&part)) {
    if (!part.xxh3_128().empty()) checksum = part.xxh3_128();
    // Reading later makes the node wait: gRPC's windows are small beside a file.
    std::this_thread::sleep_for(rate_.Take(part.data().size(), Clock::now()));
    status = receiver.Append(part.data());
    if (status.ok()) progress_.fetched_bytes += part.data().size();
  }
  if (!status.ok()) context.TryCancel();
  const grpc::Status ended = parts->Finish();
  if (!status.ok()) return status;
  if (!ended.ok()) return client.Explain(ended);
  return receiver.Place(checksum);
}

std::chrono::seconds Collection::DeadlineOf(uint64_t bytes) const {
  uint64_t seconds = bytes / kSlowestBytesPerSecond;
  // All nodes share the rate: this file may have to wait for everything else.
  if (options_.bytes_per_second != 0) seconds += 2 * missing_bytes_ / options_.bytes_per_second;
  return rpc::kFetch.timeout + std::chrono::seconds(seconds);
}

}  // namespace

absl::Status CheckFiles(const pb::FilesResponse& files) {
  if (files.files_size() > kMaxFiles)
    return absl::DataLossError("the node tells of too many files");
  std::set<std::string> names;
  for (const pb::SessionFile& file : files.files()) {
    if (absl::Status status = CheckSessionFileName(file.name()); !status.ok()) return status;
    if (!names.insert(file.name()).second || file.size_bytes() > kMaxFileBytes ||
        file.modified_realtime_ns() < 0) {
      return absl::DataLossError(
          absl::StrCat("the node tells nonsense about its file ", file.name()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::Status>> CollectFromNodes(Cluster& cluster,
                                                           const CollectOptions& options,
                                                           CollectProgress& progress) {
  Collection collection(cluster, options, progress);
  std::vector<absl::Status> statuses =
      cluster.ForEach([&](size_t index) { return collection.Plan(index); });
  if (absl::Status status = collection.CheckSpace(); !status.ok()) return status;
  ParallelFor(kMaxNodesAtOnce, cluster.size(), [&](size_t index, int /*worker*/) {
    if (statuses[index].ok()) statuses[index] = collection.Fetch(index);
  });
  return statuses;
}

}  // namespace gordian
