// SPDX-License-Identifier: Apache-2.0
// What an entry of the store is the result of.
#pragma once

#include <cstdint>
#include <string>

namespace gordian {

struct StoreKey {
  std::string recording;  // its fingerprint (trace/recording_fingerprint.h)
  std::string stage;      // "timeline", "report", …
  // The stage's own number, raised with each change of what its sections hold or mean. Entries of
  // other numbers are never found, and give way in time.
  uint32_t format = 0;
  std::string options;  // all else that the result depends on, in the stage's own words

  bool operator==(const StoreKey&) const = default;
};

}  // namespace gordian
