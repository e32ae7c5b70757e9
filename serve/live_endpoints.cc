// SPDX-License-Identifier: Apache-2.0
// What a live recording says now, and what it said.
#include "serve/all_endpoints.h"
#include "serve/live_recording.h"

namespace gordian {
namespace {

constexpr std::string_view kLiveParameters[] = {"after", "number"};

absl::StatusOr<const LiveRecording*> LiveOf(const ViewRequest& request) {
  const LiveRecording* live = request.recording.live();
  if (live == nullptr)
    return absl::NotFoundError("this recording is not being written: it has no frames");
  return live;
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerLive(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, kLiveParameters); !status.ok())
    return status;
  const auto after = GetUnsigned(request.parameters, "after", 0);
  if (!after.ok()) return after.status();
  const auto number = GetUnsigned(request.parameters, "number", 0);
  if (!number.ok()) return number.status();
  const auto live = LiveOf(request);
  if (!live.ok()) return live.status();
  if (request.pin) (*live)->Hold(*request.pin);
  auto json = *number > 0 ? (*live)->FrameOfNumber(*number) : (*live)->NewestFrame(*after);
  if (!json.ok()) return json.status();
  return ViewAnswer{.body = *std::move(json)};
}

absl::StatusOr<ViewAnswer> AnswerLiveStrip(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  const auto live = LiveOf(request);
  if (!live.ok()) return live.status();
  return ViewAnswer{.body = (*live)->StripJson()};
}

}  // namespace gordian
