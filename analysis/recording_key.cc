// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_key.h"

#include "absl/strings/str_cat.h"
#include "trace/node_sessions.h"
#include "trace/recording_fingerprint.h"
#include "trace/session_reader.h"

namespace gordian {

void AddText(const std::string& text, std::string& to) {
  absl::StrAppend(&to, text.size(), ":", text, ";");
}

std::optional<RecordingKey> RecordingKeyOf(const std::string& directory) {
  const auto sessions = FindNodeSessions(directory);
  if (!sessions.ok() || sessions->empty()) return std::nullopt;
  RecordingKey key;
  for (const NodeSession& session : *sessions) {
    const auto opened = SessionReader::Open(session.directory);
    if (!opened.ok()) return std::nullopt;
    const auto fingerprint = RecordingFingerprint(**opened);
    if (!fingerprint.ok()) return std::nullopt;
    if (key.recording.empty()) key.recording = *fingerprint;
    AddText(session.node, key.nodes);
    AddText(*fingerprint, key.nodes);
  }
  return key;
}

}  // namespace gordian
