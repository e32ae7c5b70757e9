// SPDX-License-Identifier: Apache-2.0
// What can be asked of a recording: /api/R/NAME?…, where R is its number in /api/recordings. An
// endpoint parses parameters (serve/parameters.h) and calls views/; one file for each view,
// serve/NAME_endpoints.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "serve/parameters.h"
#include "serve/served_recordings.h"

namespace gordian {

struct ViewRequest {
  const ServedRecording& recording;
  const ServedRecordings& recordings;            // others, to compare with
  std::shared_ptr<const ServedAnalysis> served;  // null for Needs::kNothing
  ViewParameters parameters;                     // without `pin`
  std::optional<uint64_t> pin;  // of a live recording: the number of the window that is asked about
  std::function<bool()> stop_asked;  // the browser went away, or it takes too long

  const Analysis& analysis() const { return served->analysis(); }
};

inline constexpr char kJsonType[] = "application/json";
inline constexpr char kBinaryType[] = "application/octet-stream";

// At most kMostAnswerBytes; it says what it left out.
inline constexpr size_t kMostAnswerBytes = 16 << 20;
struct ViewAnswer {
  std::string content_type = kJsonType;
  std::string body;
  bool may_be_kept = true;  // false: asked again, it may be another one
};

enum class Needs : uint8_t {
  kAnalysis,  // until it is there, 503 is answered: the page waits, and asks again
  kNothing,
};

// Errors: InvalidArgument becomes 400, NotFound 404, Unavailable 503, DeadlineExceeded 504, and
// others 500; each with {"error": "the status' message"}.
struct Endpoint {
  std::string_view name;
  std::string_view what;  // a line for people
  absl::StatusOr<ViewAnswer> (*answer)(const ViewRequest&);
  Needs needs = Needs::kAnalysis;
  bool is_kept = true;  // the same question has the same answer as long as the analysis is the same
  std::string_view content_type = kJsonType;  // of its answers
  // Of a recording that lies on its node: that node is asked. Else it is about no recording.
  bool is_forwarded = true;
};

std::span<const Endpoint> AllEndpoints();
const Endpoint* FindEndpoint(std::string_view name);  // null: there is no such one

}  // namespace gordian
