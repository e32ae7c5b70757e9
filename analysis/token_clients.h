// SPDX-License-Identifier: Apache-2.0
// The turn of a client, between an answer and its next question. Inner to the library.
#pragma once

#include <cstddef>
#include <map>

#include "analysis/running_cpus.h"
#include "analysis/token_draft.h"
#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

class TokenClients {
 public:
  // All must outlive it.
  TokenClients(const Timeline& timeline, const TokenTurns& turns, const RunningCpus& cpus,
               TokenDraft& draft);

  void TellClient(const TokenTurn& turn);

 private:
  // Whether the client has a single connection.
  bool IsOfOne(EntityId client) const;

  const Timeline& timeline_;
  const TokenTurns& turns_;
  const RunningCpus& cpus_;
  TokenDraft& draft_;
  std::map<EntityId, size_t> connections_;  // of clients
};

}  // namespace gordian
