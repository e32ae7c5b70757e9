// SPDX-License-Identifier: Apache-2.0
// What the recorded ways of a root's requests have in common. Inner to the library.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"
#include "requests/requests.h"

namespace gordian {

// Who is at work on the request in that step, and what that does.
EntityId WorkerOfStep(const Timeline& timeline, const RequestStep& step);
RequestStepKind DeedOfStep(const RequestStep& step);

// The ports of the servers that asked each other for it, from the first that the root asked.
std::vector<uint16_t> ServersOfStep(const TokenTurns& turns, const RequestStep& step);

// The disk that its worker waits for in that step, also where that is a server which the root asks;
// kNobody: none, or that of another thread's operation.
EntityId DiskOfStep(const Timeline& timeline, const RequestStep& step);

// By thread: whether it had a part in any request.
std::vector<uint8_t> ThreadsOfTurns(const Timeline& timeline, const TokenTurns& turns);

// Vertices whose threads work for one request, then for others, then for the first again.
std::set<uint32_t> EventLoopsOf(const Timeline& timeline, const TokenTurns& turns,
                                std::span<const uint32_t> vertex_of_entity);

// Whether it answers on another port than the root's; the port, or 0.
uint16_t NestedPortOf(const TokenTurns& turns, EntityId thread);

// By step: whether it is a part of a wait for a connection. Between the request's own questions to
// nested servers, and before the first, these work for others; so does the root, between their
// answers.
std::vector<uint8_t> QueuesForConnections(const TokenTurns& turns,
                                          std::span<const RequestStep> way);

// While other servers have the request, one after the other.
std::vector<OpenStretch> QuestionsWithin(const TokenTurns& turns, std::span<const RequestStep> way);

}  // namespace gordian
