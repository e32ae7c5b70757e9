// SPDX-License-Identifier: Apache-2.0
// A finished recording that is served: it is analyzed in the background, and asked meanwhile.
//
// What is known soonest comes first: the report that the store keeps of it, or what a share of it
// says while it is read, then the whole page; the timeline opens when the analysis is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/listings.pb.h"
#include "serve/served_recording.h"

namespace gordian {

class StoredRecording : public ServedRecording {
 public:
  // `directory` is a session's folder, or one with those of many nodes.
  StoredRecording(const std::string& directory, ServedOptions options);

  // What the store keeps of it: takes no second. Then all of it, in as many threads as the options
  // say.
  void LoadKeptPage();
  void Load();
  // Load ends as soon as it can.
  void AskToStop() { stop_ = true; }
  // How often its analysis was asked for before it was there.
  uint64_t asked_in_vain() const { return asked_in_vain_; }

  ServedStatus status() const override;
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis(
      std::optional<uint64_t> window) const override;
  absl::StatusOr<std::shared_ptr<const std::string>> page(
      std::optional<uint64_t> window) const override;

 private:
  absl::Status Analyze();
  void SetPage(const pb::PageData& page);

  std::atomic<bool> stop_ = false;
  mutable std::atomic<uint64_t> asked_in_vain_ = 0;
  bool is_page_kept_ = false;
  pb::PageData kept_page_;    // until the phases are told
  mutable std::mutex mutex_;  // of all below
  ServedStatus status_;
  absl::Status failure_;
  std::shared_ptr<const ServedAnalysis> analysis_;
  std::shared_ptr<const std::string> page_;
};

}  // namespace gordian
