// SPDX-License-Identifier: Apache-2.0
#include "serve/embedded_answers.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "serve/endpoints.h"

namespace gordian {
namespace {

struct FirstQuestion {
  std::string_view endpoint;
  ViewParameters parameters;
};

// As the views ask them where app.source.isStatic (web/app/views). Others of the same view are told
// from these.
std::vector<FirstQuestion> FirstQuestions() {
  return {{"units", {}},
          {"tiles", {{"overview", "1"}, {"pixels", "400"}}},
          {"told_phases", {}},
          {"requests", {{"slowest", "20"}}},
          {"questions", {}},
          {"amounts", {{"bytes", "1"}, {"level", "process"}, {"participation", "1"}}},
          {"matrix", {{"level", "process"}, {"what", "waits"}}},
          {"trend", {{"bytes", "1"}, {"level", "process"}}},
          {"matrix", {{"level", "process"}, {"what", "bytes"}}}};
}

// A recording that is analyzed already.
class AnalyzedAlready : public ServedRecording {
 public:
  // Must outlive it.
  explicit AnalyzedAlready(const Analysis& analysis)
      : ServedRecording("", analysis.recording().directory, {}),
        // It is not this object's to delete.
        analysis_(std::make_shared<ServedAnalysis>(
            std::shared_ptr<const Analysis>(std::shared_ptr<void>(), &analysis), 1)) {}

  ServedStatus status() const override { return {.state = ServedState::kReady, .progress = 1}; }
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis(
      std::optional<uint64_t> /*window*/) const override {
    return analysis_;
  }
  absl::StatusOr<std::shared_ptr<const std::string>> page(
      std::optional<uint64_t> /*window*/) const override {
    return absl::NotFoundError("the page itself holds it");
  }

 private:
  const std::shared_ptr<const ServedAnalysis> analysis_;
};

// Parameters are few, and need no escapes.
std::string TextOfQuestion(const FirstQuestion& question) {
  std::string text(question.endpoint);
  char mark = '?';
  for (const auto& [name, value] : question.parameters) {
    text.append(1, mark).append(name).append("=").append(value);
    mark = '&';
  }
  return text;
}

}  // namespace

std::vector<EmbeddedAnswer> AnswersToEmbed(const Analysis& analysis) {
  const AnalyzedAlready recording(analysis);
  const ServedRecordings no_others;
  const std::span<const Endpoint> endpoints = AllEndpoints();
  std::vector<EmbeddedAnswer> answers;
  for (const FirstQuestion& question : FirstQuestions()) {
    const auto endpoint =
        std::find_if(endpoints.begin(), endpoints.end(),
                     [&](const Endpoint& one) { return one.name == question.endpoint; });
    if (endpoint == endpoints.end()) std::abort();  // a misspelt name: tests come by here
    auto answer = endpoint->answer({.recording = recording,
                                    .recordings = no_others,
                                    .served = *recording.analysis({}),
                                    .parameters = question.parameters,
                                    .pin = {},
                                    .stop_asked = [] { return false; }});
    if (!answer.ok()) continue;
    answers.push_back({.question = TextOfQuestion(question),
                       .body = std::move(answer->body),
                       .binary = answer->content_type == kBinaryType});
  }
  return answers;
}

}  // namespace gordian
