// SPDX-License-Identifier: Apache-2.0
// A recording that lies on its node and stays there. The node answers the very questions that this
// server is asked, by the same code (near/node_views.h); the server only passes them on.
//
// A node is asked one question at a time: who comes meanwhile waits for a moment, and is told to
// ask again. So a node that hangs holds up one answer, and no other node.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "serve/endpoints.h"
#include "serve/served_recording.h"

namespace gordian {

// What a node answers. Nothing in it is believed.
struct FarAnswer {
  std::string body;
  uint64_t reading = 0;  // another one if the recording was read again; 0: not told
};

// What a node's session does, as its daemon tells without looking into the recording.
struct FarState {
  std::string state;  // recording, complete, …
  double seconds = 0;
  uint64_t events = 0;
  uint64_t lost = 0;
  uint64_t bytes = 0;
};

struct FarSource {
  std::string name;       // the node's
  std::string directory;  // as people named it
  // Both take a while, and give up by themselves. Errors are a line.
  std::function<absl::StatusOr<FarState>()> state;
  // `read_again`: what was recorded since it was read counts, too.
  std::function<absl::StatusOr<FarAnswer>(std::string_view endpoint,
                                          const ViewParameters& parameters, bool read_again)>
      ask;
};

class FarRecording : public ServedRecording {
 public:
  explicit FarRecording(FarSource source);

  // The node's answer, if it is what it says it is. Unavailable: it answers another question now.
  // FailedPrecondition: its recording was read again, so what a page knows of it is no longer so.
  absl::StatusOr<ViewAnswer> Ask(const Endpoint& endpoint, ViewParameters parameters) const;
  // Of its session, as JSON.
  absl::StatusOr<ViewAnswer> State() const;
  // What tells answers of now from those of later.
  uint64_t reading() const { return reading_; }

  const FarRecording* far() const override { return this; }
  ServedStatus status() const override;
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis(
      std::optional<uint64_t> window) const override;
  absl::StatusOr<std::shared_ptr<const std::string>> page(
      std::optional<uint64_t> window) const override;

 private:
  absl::Status LiesElsewhere() const;

  const FarSource source_;
  mutable std::timed_mutex asking_;
  mutable std::atomic<uint64_t> reading_ = 0;
};

}  // namespace gordian
