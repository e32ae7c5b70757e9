// SPDX-License-Identifier: Apache-2.0
// Recordings that are served: what all of them can be asked, whether they are finished
// (stored_recording.h), still being written (live_recording.h), or on another machine
// (far_recording.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "loglines/explain_log.h"
#include "serve/kept_answers.h"

namespace gordian {

// An analysis that requests may hold on to while the recording goes on to the next one.
class ServedAnalysis {
 public:
  // `number`: no other one of the recording has it.
  ServedAnalysis(std::shared_ptr<const Analysis> analysis, uint64_t number)
      : analysis_(std::move(analysis)), number_(number) {}

  const Analysis& analysis() const { return *analysis_; }
  uint64_t number() const { return number_; }
  // What requests made of it that is worth keeping: it goes when the analysis does.
  KeptAnswers& kept() const { return kept_; }

 private:
  const std::shared_ptr<const Analysis> analysis_;
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
  AnalysisOptions analysis;       // with the store
  std::optional<JobRequest> job;  // whose phases are told, instead of what probes tell
  std::string program;            // tells builds apart (analysis/this_program.h)
  std::map<std::string, std::string> rack_of_node;
  std::vector<LogInput> logs;  // whose lines are marks on the timeline
};

class LiveRecording;
class FarRecording;

// Thread-safe.
class ServedRecording {
 public:
  virtual ~ServedRecording() = default;
  ServedRecording(const ServedRecording&) = delete;
  ServedRecording& operator=(const ServedRecording&) = delete;

  const std::string& name() const { return name_; }
  const std::string& directory() const { return directory_; }
  const AnalysisOptions& options() const { return options_.analysis; }
  const std::map<std::string, std::string>& rack_of_node() const { return options_.rack_of_node; }
  const std::vector<LogInput>& logs() const { return options_.logs; }
  virtual const LiveRecording* live() const { return nullptr; }  // it, if it is one
  virtual const FarRecording* far() const { return nullptr; }    // likewise

  virtual ServedStatus status() const = 0;
  // `window`: of a live recording, the one of that number instead of the newest. Unavailable while
  // it is read; what went wrong, if it cannot be.
  virtual absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis(
      std::optional<uint64_t> window) const = 0;
  // The page as JSON (pb::PageData); likewise.
  virtual absl::StatusOr<std::shared_ptr<const std::string>> page(
      std::optional<uint64_t> window) const = 0;

 protected:
  ServedRecording(std::string name, std::string directory, ServedOptions options)
      : name_(std::move(name)), directory_(std::move(directory)), options_(std::move(options)) {}
  const ServedOptions& served_options() const { return options_; }

 private:
  const std::string name_;
  const std::string directory_;
  const ServedOptions options_;
};

}  // namespace gordian
