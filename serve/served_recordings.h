// SPDX-License-Identifier: Apache-2.0
// All that one server serves, in the order of the command line.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "serve/live_recording.h"
#include "serve/served_recording.h"
#include "serve/stored_recording.h"

namespace gordian {

// Stored ones are read one after the other, as each takes all CPUs; those that somebody looks at
// come first.
class ServedRecordings {
 public:
  ServedRecordings() = default;
  ~ServedRecordings();  // stops what is being read, and waits for that
  ServedRecordings(const ServedRecordings&) = delete;
  ServedRecordings& operator=(const ServedRecordings&) = delete;

  void Add(std::unique_ptr<StoredRecording> recording);
  void Add(std::unique_ptr<LiveRecording> recording);
  void Add(std::unique_ptr<ServedRecording> recording) {
    recordings_.push_back(std::move(recording));
  }
  // What needs all of them at once where each is on a node of its own, and the command that has it.
  void SetInstead(std::string line) { instead_ = std::move(line); }
  const std::string& instead() const { return instead_; }
  size_t size() const { return recordings_.size(); }
  const ServedRecording& at(size_t number) const { return *recordings_[number]; }
  // NotFound if there is no such one; else as ServedRecording::analysis.
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> AnalysisOf(
      uint64_t number, std::optional<uint64_t> window = {}) const;

  // Begins to read, in threads of its own.
  void Start();
  // Asks what is being read to stop, and tells whether it did in time.
  bool EndWithin(std::chrono::milliseconds longest);

 private:
  void LoadAll();
  void AskToStop();

  std::vector<std::unique_ptr<ServedRecording>> recordings_;
  std::vector<StoredRecording*> stored_;
  std::vector<LiveRecording*> live_;
  std::string instead_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> is_loading_ = false;
  std::thread thread_;
};

}  // namespace gordian
