// SPDX-License-Identifier: Apache-2.0
// What the store knows a recording of one node or of many by.
#pragma once

#include <optional>
#include <string>

namespace gordian {

struct RecordingKey {
  std::string recording;  // the first node's fingerprint
  std::string nodes;      // names and fingerprints of all
  bool operator==(const RecordingKey&) const = default;
};

// As the files are now. Nothing if a session cannot be read.
std::optional<RecordingKey> RecordingKeyOf(const std::string& directory);

// Texts are told by their lengths: they may hold anything.
void AddText(const std::string& text, std::string& to);

}  // namespace gordian
