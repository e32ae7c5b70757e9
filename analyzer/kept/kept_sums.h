// SPDX-License-Identifier: Apache-2.0
// Sums of windows in the store: the graph of any range of a recording, without a sweep over it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "analyzer/sums/window_sums.h"
#include "store/store.h"

namespace gordian {

// Raised with each change of what is kept.
inline constexpr uint32_t kKeptSumsFormat = 1;

// A failure is the writer's.
void KeepSums(const WindowSumsView& sums, StoreWriter& writer);

class KeptSums {
 public:
  // DataLoss if the entry does not check.
  static absl::StatusOr<KeptSums> Of(StoredEntry entry);

  // Valid as long as this object.
  const WindowSumsView& view() const { return view_; }

 private:
  KeptSums(std::unique_ptr<StoredEntry> entry, const WindowSumsView& view)
      : entry_(std::move(entry)), view_(view) {}

  std::unique_ptr<StoredEntry> entry_;
  WindowSumsView view_;
};

}  // namespace gordian
