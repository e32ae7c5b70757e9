// SPDX-License-Identifier: Apache-2.0
// Folders of a collected recording, each asked as its node's daemon asks its own, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "causes/causes.h"
#include "near/near_slice.h"
#include "near/node_answers.h"

namespace gordian::testing {

// The answer with four of its bytes replaced, by a generator of which `number` is the state.
// DataLoss if it cannot be read then.
absl::StatusOr<pb::NearAnswer> GarbledAnswer(const pb::NearAnswer& answer, uint32_t& number);

// As nodes of an older version are asked, and answer.
NearNodes WithoutPacking(const NearNodes& nodes);

class AskedFolders {
 public:
  explicit AskedFolders(const std::string& directory);

  absl::StatusOr<NearSlice> Ask(const NearSliceQuestion& question) const {
    return SliceAcross(nodes_, question);
  }
  void SetAway(const std::string& node) { away_.insert(node); }
  const NearNodes& nodes() const { return nodes_; }
  uint64_t questions(const std::string& node) { return questions_[node]; }
  NodeAnswers& of(size_t node) { return *answers_[node]; }

 private:
  NearNodes nodes_;
  std::vector<std::unique_ptr<NodeAnswers>> answers_;
  std::set<std::string> away_;
  std::map<std::string, uint64_t> questions_;
};

// By node and number of the thread: its stretches in order of time.
using ThreadParts =
    std::map<std::pair<std::string, EntityId>, std::vector<std::pair<uint64_t, uint64_t>>>;

ThreadParts PartsOfJoined(const Timeline& timeline, const Slice& slice);
ThreadParts PartsOfAsked(const NearNodes& nodes, const NearSlice& slice);
std::string TextOf(const ThreadParts& parts);

}  // namespace gordian::testing
