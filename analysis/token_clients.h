// SPDX-License-Identifier: Apache-2.0
// The turn of a client, between an answer and its next question. Inner to the library.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "analysis/running_cpus.h"
#include "analysis/token_draft.h"
#include "analysis/token_permits.h"
#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

class TokenClients {
 public:
  // All must outlive it.
  TokenClients(const Timeline& timeline, const TokenTurns& turns,
               std::span<const uint32_t> vertex_of_entity, const RunningCpus& cpus,
               TokenDraft& draft);
  // To be called once, behind all other locks.
  void AddPermits();

  void TellClient(const TokenTurn& turn);
  // Behind its answer, which others may have waited for.
  void GivePermitBack(const TokenTurn& turn);

 private:
  // Whether the client has a single connection.
  bool IsOfOne(EntityId client) const;

  const Timeline& timeline_;
  const TokenTurns& turns_;
  const RunningCpus& cpus_;
  TokenDraft& draft_;
  std::map<EntityId, size_t> connections_;  // of clients
  const TokenPermits permits_;
  std::map<uint32_t, size_t> lock_of_vertex_;  // … of its permits, in ToldTokens
  double works_behind_ns_ = 0;                 // of this turn, until it gave the permit back
};

}  // namespace gordian
