// SPDX-License-Identifier: Apache-2.0
#include "near/test_asked_folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "trace/node_sessions.h"

namespace gordian::testing {
namespace {

void AddPart(std::vector<std::pair<uint64_t, uint64_t>>& parts, uint64_t from_ns, uint64_t to_ns) {
  if (!parts.empty() && parts.back().second >= from_ns) {
    parts.back().second = std::max(parts.back().second, to_ns);
  } else {
    parts.emplace_back(from_ns, to_ns);
  }
}

}  // namespace

absl::StatusOr<pb::NearAnswer> GarbledAnswer(const pb::NearAnswer& answer, uint32_t& number) {
  std::string bytes = answer.SerializeAsString();
  for (int i = 0; i < 4 && !bytes.empty(); ++i) {
    number = number * 1664525 + 1013904223;
    bytes[(number >> 8) % bytes.size()] = static_cast<char>(number >> 24);
  }
  pb::NearAnswer garbage;
  if (!garbage.ParseFromString(bytes)) return absl::DataLossError("its answer cannot be read");
  return garbage;
}

NearNodes WithoutPacking(const NearNodes& nodes) {
  NearNodes plain = nodes;
  plain.ask = [ask = nodes.ask](size_t node, const pb::NearQuestion& question) {
    EXPECT_NE(question.question_case(), pb::NearQuestion::kPacked);
    pb::NearQuestion asked = question;
    asked.set_takes_packed(false);
    auto answer = ask(node, asked);
    if (answer.ok() && answer->has_about()) answer->mutable_about()->set_takes_packed(false);
    return answer;
  };
  return plain;
}

AskedFolders::AskedFolders(const std::string& directory) {
  const auto sessions = FindNodeSessions(directory);
  if (!sessions.ok()) std::abort();
  for (const NodeSession& session : *sessions) {
    nodes_.names.push_back(session.node);
    answers_.push_back(std::make_unique<NodeAnswers>(session.directory, 1));
  }
  nodes_.ask = [this](size_t node,
                      const pb::NearQuestion& question) -> absl::StatusOr<pb::NearAnswer> {
    ++questions_[nodes_.names[node]];
    if (away_.contains(nodes_.names[node])) return absl::UnavailableError("nobody listens there");
    // What a daemon would send.
    pb::NearQuestion sent;
    EXPECT_TRUE(sent.ParseFromString(question.SerializeAsString()));
    EXPECT_LE(sent.ByteSizeLong(), size_t{64} << 10);
    return answers_[node]->Answer(sent);
  };
}

ThreadParts PartsOfJoined(const Timeline& timeline, const Slice& slice) {
  std::vector<EntityId> first(timeline.nodes().size(), kNobody);
  for (EntityId id = timeline.thread_count(); id-- > 0;) first[timeline.entities()[id].node] = id;
  std::vector<SliceStretch> stretches = slice.stretches;
  std::sort(stretches.begin(), stretches.end(),
            [](const SliceStretch& a, const SliceStretch& b) { return a.from_ns < b.from_ns; });
  ThreadParts parts;
  for (const SliceStretch& stretch : stretches) {
    const uint32_t node = timeline.entities()[stretch.thread].node;
    AddPart(parts[{timeline.nodes()[node], stretch.thread - first[node]}], stretch.from_ns,
            stretch.to_ns);
  }
  return parts;
}

ThreadParts PartsOfAsked(const NearNodes& nodes, const NearSlice& slice) {
  ThreadParts parts;
  for (const NearStretch& stretch : slice.stretches)
    AddPart(parts[{nodes.names[stretch.node], stretch.thread}], stretch.from_ns, stretch.to_ns);
  return parts;
}

std::string TextOf(const ThreadParts& parts) {
  std::string text;
  for (const auto& [thread, stretches] : parts) {
    absl::StrAppend(&text, "\n", thread.first, "/", thread.second);
    for (const auto& [from_ns, to_ns] : stretches) absl::StrAppend(&text, " ", from_ns, "-", to_ns);
  }
  return text;
}

}  // namespace gordian::testing
