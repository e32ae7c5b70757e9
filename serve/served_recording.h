// SPDX-License-Identifier: Apache-2.0
// A recording that is served: it is read and analyzed in the background, and asked meanwhile.
//
// What is known soonest comes first: the report that the store keeps of it, or what a share of it
// says while it is read, then the whole page; the timeline opens when the analysis is done.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "schema/listings.pb.h"
#include "serve/kept_answers.h"

namespace gordian {

// An analysis that requests may hold on to while the recording goes on to the next one.
class ServedAnalysis {
 public:
  // `number`: no other one of the recording has it.
  ServedAnalysis(Analysis analysis, uint64_t number)
      : analysis_(std::move(analysis)), number_(number) {}

  const Analysis& analysis() const { return analysis_; }
  uint64_t number() const { return number_; }
  // What requests made of it that is worth keeping: it goes when the analysis does.
  KeptAnswers& kept() const { return kept_; }

 private:
  const Analysis analysis_;
  const uint64_t number_;
  mutable KeptAnswers kept_;
};

enum class ServedState : uint8_t { kReading, kReady, kFailed };

struct ServedStatus {
  ServedState state = ServedState::kReading;
  double progress = 0;       // of reading and analyzing, from 0 to 1
  std::string error;         // kFailed: a line
  double seconds = 0;        // the recording's length; 0: not known yet
  uint64_t page_number = 0;  // rises when the page is another one; 0: there is none yet
};

struct ServedOptions {
  AnalysisOptions analysis;  // with the store
  std::string program;       // tells builds apart (analysis/this_program.h)
  std::map<std::string, std::string> rack_of_node;
};

class ServedRecording {
 public:
  // `directory` is a session's folder, or one with those of many nodes.
  ServedRecording(std::string directory, ServedOptions options);
  ServedRecording(const ServedRecording&) = delete;
  ServedRecording& operator=(const ServedRecording&) = delete;

  // What the store keeps of it: takes no second. Then all of it, in as many threads as the options
  // say.
  void LoadKeptPage();
  void Load();
  // Load ends as soon as it can.
  void AskToStop() { stop_ = true; }

  const std::string& name() const { return name_; }  // the folder's last part
  const std::string& directory() const { return directory_; }
  const AnalysisOptions& options() const { return options_.analysis; }
  const std::map<std::string, std::string>& rack_of_node() const { return options_.rack_of_node; }
  bool is_live() const { return false; }
  // How often its analysis was asked for before it was there.
  uint64_t asked_in_vain() const { return asked_in_vain_; }

  ServedStatus status() const;
  // Unavailable until it is read; what went wrong, if it cannot be.
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis() const;
  // The page as JSON (pb::PageData). Unavailable until there is any; what went wrong, if there will
  // be none.
  absl::StatusOr<std::shared_ptr<const std::string>> page() const;

 private:
  absl::Status Analyze();
  void SetPage(const pb::PageData& page);

  const std::string directory_;
  const std::string name_;
  ServedOptions options_;
  std::atomic<bool> stop_ = false;
  mutable std::atomic<uint64_t> asked_in_vain_ = 0;
  bool is_page_kept_ = false;
  mutable std::mutex mutex_;  // of all below
  ServedStatus status_;
  absl::Status failure_;
  std::shared_ptr<const ServedAnalysis> analysis_;
  std::shared_ptr<const std::string> page_;
};

// All that one server serves, in the order of the command line. They are read one after the other,
// as each takes all CPUs; those that somebody looks at come first.
class ServedRecordings {
 public:
  ServedRecordings() = default;
  ~ServedRecordings();  // stops what is being read, and waits for that
  ServedRecordings(const ServedRecordings&) = delete;
  ServedRecordings& operator=(const ServedRecordings&) = delete;

  void Add(std::unique_ptr<ServedRecording> recording) {
    recordings_.push_back(std::move(recording));
  }
  size_t size() const { return recordings_.size(); }
  const ServedRecording& at(size_t number) const { return *recordings_[number]; }
  // NotFound if there is no such one; else as ServedRecording::analysis.
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> AnalysisOf(uint64_t number) const;
  // Begins to read, in a thread of its own.
  void Start();
  void AskToStop();
  // Asks, and tells whether it stopped in time.
  bool EndWithin(std::chrono::milliseconds longest);

 private:
  void LoadAll();

  std::vector<std::unique_ptr<ServedRecording>> recordings_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> is_loading_ = false;
  std::thread thread_;
};

}  // namespace gordian
