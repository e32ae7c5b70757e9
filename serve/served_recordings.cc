// SPDX-License-Identifier: Apache-2.0
#include "serve/served_recordings.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr auto kEndTurn = std::chrono::milliseconds(10);

}  // namespace

void ServedRecordings::Add(std::unique_ptr<StoredRecording> recording) {
  stored_.push_back(recording.get());
  recordings_.push_back(std::move(recording));
}

void ServedRecordings::Add(std::unique_ptr<LiveRecording> recording) {
  live_.push_back(recording.get());
  recordings_.push_back(std::move(recording));
}

absl::StatusOr<std::shared_ptr<const ServedAnalysis>> ServedRecordings::AnalysisOf(
    uint64_t number, std::optional<uint64_t> window) const {
  if (number >= size()) return absl::NotFoundError(absl::StrCat("there is no recording ", number));
  return recordings_[number]->analysis(window);
}

ServedRecordings::~ServedRecordings() {
  AskToStop();
  if (thread_.joinable()) thread_.join();
}

void ServedRecordings::Start() {
  for (LiveRecording* live : live_) live->Start();
  is_loading_ = true;
  thread_ = std::thread([this] {
    LoadAll();
    is_loading_ = false;
  });
}

void ServedRecordings::AskToStop() {
  stop_ = true;
  for (StoredRecording* stored : stored_) stored->AskToStop();
  for (LiveRecording* live : live_) live->AskToStop();
}

bool ServedRecordings::EndWithin(std::chrono::milliseconds longest) {
  AskToStop();
  const auto until = std::chrono::steady_clock::now() + longest;
  const auto is_busy = [this] {
    return is_loading_ || std::any_of(live_.begin(), live_.end(),
                                      [](const LiveRecording* live) { return live->is_busy(); });
  };
  while (is_busy() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kEndTurn);
  return !is_busy();
}

void ServedRecordings::LoadAll() {
  for (StoredRecording* stored : stored_)
    if (!stop_) stored->LoadKeptPage();
  std::vector<StoredRecording*> waiting = stored_;
  while (!waiting.empty() && !stop_) {
    const auto next = std::max_element(waiting.begin(), waiting.end(), [](auto* a, auto* b) {
      return a->asked_in_vain() < b->asked_in_vain();
    });
    StoredRecording* const recording = *next;
    waiting.erase(next);
    recording->Load();
  }
}

}  // namespace gordian
