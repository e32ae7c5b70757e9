// SPDX-License-Identifier: Apache-2.0
// How many requests at once a program has under way to another server. Where that number is always
// the same while more of its own clients wait, something in the program holds them back: a pool of
// connections or threads, a limit of requests under way, or a lock around the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "requests/requests.h"

namespace gordian {

struct LetThrough {
  uint32_t node = 0;            // Entity::node of the asking program
  std::string program;          // Entity::process_name of its processes
  std::string server;           // likewise, of the threads that answered; empty: not recorded
  std::vector<uint16_t> ports;  // of the server, in order; one may stand for a local service
  uint64_t requests = 0;        // that it asked there
  uint64_t most = 0;            // under way at once
  double full_share = 0;        // of the time: so many were under way
  double on_average = 0;        // under way
  uint64_t connections = 0;     // that were used before and after the middle of its time
  // Of the program's own clients, or of those of the program that it works for where it has none
  // (FastCGI on a unix socket): at the same time at most so many requests beyond those that were
  // let through, and the share of the time in which there were any. 0: its clients are not seen, or
  // none had to wait.
  std::string works_for;  // the program whose clients these are; empty: its own
  uint64_t kept = 0;
  double kept_share = 0;
  // Of the time in which it kept requests, the share in which as many were under way as ever.
  double full_while_kept_share = 0;
  // Where it is a process for each request: the thread that began most of them.
  EntityId beginner = kNobody;
  std::vector<EntityId> askers;   // its threads that asked, in order
  std::vector<EntityId> servers;  // the threads that answered them, in order
};

// The part of the range in which requests were looked for.
uint64_t SearchedNs(const FoundRequests& found, uint64_t from_ns, uint64_t to_ns);

// The thread that began most of these, if they ask once each, and most begin and end within the
// recording. `requests`: of them all.
EntityId WhoBeganEach(const Timeline& timeline, const std::vector<EntityId>& askers,
                      size_t requests);

// One for each program and each server that it asks, in order of nodes and programs. A port is a
// server. Ports with a single connection each are private ways to the members of a pool: those of
// one program count as one server. What a process asks itself is left out. `found` is of all
// threads within the range.
std::vector<LetThrough> FindLetThrough(const Timeline& timeline, const FoundRequests& found,
                                       const RequestWalk& walk, uint64_t from_ns, uint64_t to_ns);

}  // namespace gordian
