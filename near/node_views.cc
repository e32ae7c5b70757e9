// SPDX-License-Identifier: Apache-2.0
#include "near/node_views.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "near/near_query.h"
#include "output/message_json.h"
#include "serve/endpoints.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;

// Less than the daemon waits for its helper, so that the asker is told why.
constexpr auto kLongestView = std::chrono::seconds(40);

absl::Status TakesTooLong() {
  return absl::DeadlineExceededError(absl::StrCat(
      "that takes more than ", kLongestView.count(),
      " s there; ask for a shorter time, or bring the recording here: gordian collect"));
}

// What in it needs all nodes; empty: nothing.
std::string NeedsAllNodes(const pb::NearViewQuestion& question) {
  const std::string& endpoint = question.endpoint();
  const auto parameter = [&](const char* name) {
    const auto found = question.parameters().find(name);
    return found == question.parameters().end() ? std::string() : found->second;
  };
  if (endpoint == "path" || endpoint == "why_wait") return "a critical path";
  if (endpoint == "slice") return "a slice";
  if (endpoint == "participation" || parameter("participation") == "1") return "participation";
  if (endpoint == "flame" && parameter("kind") == "critical") return "a critical path";
  if (endpoint == "compare" || question.parameters().contains("compared"))
    return "to compare recordings";
  if (endpoint == "query") return TableOfAllNodes(parameter("sql"));
  return "";
}

}  // namespace

class NodeViews::Recording : public ServedRecording {
 public:
  Recording(const std::string& directory, std::shared_ptr<const Analysis> analysis)
      : ServedRecording("", directory, {}),
        served_(std::make_shared<const ServedAnalysis>(std::move(analysis), 1)) {}

  // The same for the same recording, whichever process reads it.
  uint64_t reading() const {
    const Timeline& timeline = served_->analysis().timeline();
    const std::string text = absl::StrCat(timeline.start_ns(), " ", timeline.end_ns(), " ",
                                          timeline.events(), " ", timeline.thread_count());
    return std::hash<std::string>()(text) | 1;  // 0: not told
  }

  ServedStatus status() const override { return {.state = ServedState::kReady, .progress = 1}; }
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis(
      std::optional<uint64_t> /*window*/) const override {
    return served_;
  }
  absl::StatusOr<std::shared_ptr<const std::string>> page(
      std::optional<uint64_t> /*window*/) const override {
    return std::make_shared<const std::string>(
        MessageJson(served_->analysis().Page(), JsonShape::kCompact));
  }

 private:
  const std::shared_ptr<const ServedAnalysis> served_;
};

NodeViews::NodeViews(std::string directory, int threads)
    : directory_(std::move(directory)), threads_(threads) {}
NodeViews::~NodeViews() = default;

void NodeViews::Forget() { recording_ = nullptr; }

absl::StatusOr<const Analysis*> NodeViews::Read() {
  if (recording_ == nullptr) {
    const auto until = Clock::now() + kLongestView;
    AnalysisOptions options;
    options.threads = threads_;
    options.stop_asked = [until] { return Clock::now() > until; };
    auto analysis = Analysis::Run(directory_, options);
    if (absl::IsCancelled(analysis.status()) || (analysis.ok() && analysis->stopped()))
      return TakesTooLong();
    if (!analysis.ok()) return analysis.status();
    recording_ = std::make_unique<const Recording>(
        directory_, std::make_shared<const Analysis>(*std::move(analysis)));
  }
  return &(*recording_->analysis({}))->analysis();
}

absl::StatusOr<pb::NearView> NodeViews::Answer(const pb::NearViewQuestion& question) {
  const Endpoint* const endpoint = FindEndpoint(question.endpoint());
  if (endpoint == nullptr || !endpoint->is_forwarded)
    return absl::UnimplementedError("this node's gordian does not know that view");
  if (const std::string what = NeedsAllNodes(question); !what.empty())
    return absl::FailedPreconditionError(absl::StrCat(
        what,
        " needs the recordings of all nodes at once: gordian collect, then gordian serve on "
        "the folder, or gordian-mpi where they lie"));
  if (const auto read = Read(); !read.ok()) return read.status();
  const auto until = Clock::now() + kLongestView;
  const auto is_over = [until] { return Clock::now() > until; };
  const ViewRequest request{
      .recording = *recording_,
      .recordings = others_,
      .served = *recording_->analysis({}),
      .parameters = {question.parameters().begin(), question.parameters().end()},
      .stop_asked = is_over};
  auto answer = endpoint->answer(request);
  if (is_over()) return TakesTooLong();
  if (!answer.ok()) return answer.status();
  pb::NearView view;
  view.set_body(std::move(answer->body));
  view.set_reading(recording_->reading());
  return view;
}

}  // namespace gordian
