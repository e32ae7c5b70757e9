// SPDX-License-Identifier: Apache-2.0
#include "serve/far_recording.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "output/json_check.h"
#include "output/json_writer.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Most answers take less. For longer it would hold an answer of the server's.
constexpr auto kLongestTurn = std::chrono::milliseconds(500);

// With the node's name. Only a node that is busy is asked again, so no other failure may be called
// Unavailable.
absl::Status ByNode(const std::string& node, const absl::Status& failure) {
  const absl::StatusCode code =
      absl::IsUnavailable(failure) ? absl::StatusCode::kInternal : failure.code();
  return {code, absl::StrCat(CleanText(node), ": ", CleanText(std::string(failure.message())))};
}

}  // namespace

FarRecording::FarRecording(FarSource source)
    : ServedRecording(source.name, source.directory, {}), source_(std::move(source)) {}

absl::StatusOr<ViewAnswer> FarRecording::Ask(const Endpoint& endpoint,
                                             ViewParameters parameters) const {
  const std::unique_lock lock(asking_, kLongestTurn);
  if (!lock.owns_lock())
    return absl::UnavailableError(
        absl::StrCat(CleanText(name()), " answers another question; ask again"));
  const bool read_again = parameters.erase("again") > 0;
  auto answer = source_.ask(endpoint.name, parameters, read_again);
  if (!answer.ok()) return ByNode(name(), answer.status());
  if (answer->body.size() > kMostAnswerBytes)
    return ByNode(name(), absl::ResourceExhaustedError("its answer is too long"));
  if (endpoint.content_type == kJsonType && !IsJson(answer->body))
    return ByNode(name(), absl::DataLossError("its answer is not JSON"));
  // A page begins with the report, and all else in it is about the same reading. Few words name
  // nothing in it.
  const bool is_told = answer->reading != 0 && endpoint.name != "brief";
  const bool begins = read_again || endpoint.name == "page" || reading_ == 0;
  if (answer->reading != 0 && begins) reading_ = answer->reading;
  if (is_told && reading_ != answer->reading)
    return ByNode(name(), absl::FailedPreconditionError(
                              "its recording was read again meanwhile: load this page anew"));
  return ViewAnswer{.content_type = std::string(endpoint.content_type),
                    .body = std::move(answer->body),
                    .may_be_kept = answer->reading != 0 && !read_again};
}

absl::StatusOr<ViewAnswer> FarRecording::State() const {
  const auto state = source_.state();
  if (!state.ok()) return ByNode(name(), state.status());
  JsonWriter json;
  json.BeginObject().String("state", CleanText(state->state)).Real("seconds", state->seconds);
  json.Number("events", state->events).Number("lost", state->lost);
  json.Number("bytes", state->bytes).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

ServedStatus FarRecording::status() const {
  return {.state = ServedState::kReady, .progress = 1, .page_number = reading_};
}

absl::Status FarRecording::LiesElsewhere() const {
  return absl::FailedPreconditionError(
      absl::StrCat(CleanText(name()), " keeps its recording: gordian collect brings it here"));
}

absl::StatusOr<std::shared_ptr<const ServedAnalysis>> FarRecording::analysis(
    std::optional<uint64_t> /*window*/) const {
  return LiesElsewhere();
}

absl::StatusOr<std::shared_ptr<const std::string>> FarRecording::page(
    std::optional<uint64_t> /*window*/) const {
  return LiesElsewhere();
}

}  // namespace gordian
