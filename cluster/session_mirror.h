// SPDX-License-Identifier: Apache-2.0
// Follows a running session on a node: keeps its newest part in a folder here, while it is
// recorded.
//
//   auto mirror = SessionMirror::Start(cluster.client(0), {.session = "web", .directory = "web"});
//   auto stream = TimelineStream::Follow("web", {});   // or analyze it, or copy it, at any time
//   …
//   (*mirror)->Stop();
//
// The folder is a flight recorder's recording, as mirror_folder.h tells. The node waits for nobody:
// if this machine or the network cannot keep up, the node passes events over, and the recording
// tells so as losses (docs/design-follow.md).
//
// A cut connection to a node is tried again for a while and goes on where it stopped; if too much
// was recorded meanwhile, the rest is told as lost. Of many nodes each has a mirror of its own, in
// PARENT/NODE as `gordian collect` lays them out: what happens to one does not touch the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "cluster/control_client.h"
#include "cluster/mirror_folder.h"

namespace gordian {

struct MirrorOptions {
  std::string session;
  std::string directory;  // must not exist, or be empty
  MirrorLimits limits;
  uint64_t max_behind_bytes = 0;  // how much may wait on the node; 0: as its daemon chooses
  // A node that was reached once, and cannot be for that long, is given up.
  std::chrono::seconds patience{30};
};

struct MirrorState {
  enum class Phase {
    kConnecting,  // for the first time, or again; `error` tells why
    kFollowing,
    kEnded,    // with the session, for `end_reason`
    kStopped,  // by Stop
    kFailed,   // for `error`: refused, given up, nothing can be written here
  };
  Phase phase = Phase::kConnecting;
  std::string end_reason;  // text from the node: clean it before it is shown
  absl::Status error;
  MirrorCounts counts;

  bool is_over() const { return phase >= Phase::kEnded; }
};

class PartReader;

class SessionMirror {
 public:
  // Makes the folder; everything else happens on a thread of its own. `client` outlives it.
  static absl::StatusOr<std::unique_ptr<SessionMirror>> Start(ControlClient& client,
                                                              MirrorOptions options);
  ~SessionMirror();  // Stop
  SessionMirror(const SessionMirror&) = delete;
  SessionMirror& operator=(const SessionMirror&) = delete;

  // Ends it, after the round at hand if that comes within a second, and completes the recording.
  void Stop();

  MirrorState state() const;
  // Until it is over, or for that long. Returns whether it is over.
  bool AwaitEnd(std::chrono::milliseconds longest) const;

 private:
  SessionMirror(ControlClient& client, MirrorOptions options, std::unique_ptr<MirrorFolder> folder);
  void Run();
  absl::Status FollowOnce();
  absl::Status ReadParts(PartReader& reader);
  bool MayTryAgain(const absl::Status& error);
  bool StopsNow() const;
  void Tell(MirrorState::Phase phase, const absl::Status& error);

  ControlClient& client_;
  const MirrorOptions options_;
  const std::unique_ptr<MirrorFolder> folder_;  // the thread's
  std::chrono::steady_clock::time_point heard_;
  bool was_reached_ = false;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  MirrorState state_;
  bool stop_asked_ = false;
  std::chrono::steady_clock::time_point stop_asked_at_;
  std::thread thread_;
};

// A mirror of each node of the cluster, by index: below `options.directory` if nodes were asked, in
// that folder itself if it is this machine. Or why it could not begin.
std::vector<absl::StatusOr<std::unique_ptr<SessionMirror>>> MirrorNodes(
    Cluster& cluster, const MirrorOptions& options);

}  // namespace gordian
