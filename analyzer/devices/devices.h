// SPDX-License-Identifier: Apache-2.0
// How busy disks and interfaces were, and which threads they waited for while they were idle.
//
// Disks. A disk is busy while any request is in flight, exactly: from its issue to its completion.
// A completion tells its service time, so its issue is known even where that record was lost;
// without one it is matched by sector. A request that was under way when the recording began is in
// flight from then on. A request that had not completed when the recording ended is in flight until
// then.
//
// Records go missing: completions in holes of a CPU, requests that end past the tracepoint. So the
// absence of a completion proves nothing. A request without one is in flight until it must have
// been done: until the thread that waited for it goes on, its sector is asked for again, the next
// completion if a request issued later has completed, or ten times the longest service seen. A
// completion without an issue is of a request as long as the longest one seen. Both are counted.
//
// Interfaces. An interface of known speed is busy for as long as its bytes take at that speed, in
// the busier direction; the rest of the time it is idle. An interface of unknown speed, and
// loopback, count as always idle and never as the limit: nothing tells when they are full.
//
// Idle edges. An idle device waits for work. The idle time of a disk is shared among the threads
// whose requests ended its idle stretches, by how long these were: a thread that wrote a large file
// once at the start has hardly a part in it. That of an interface is shared among the threads that
// sent packets (no softirqs) by their bytes, each packet as at least kLeastBytes. A disk whose
// idle time no request ended, and an interface that sent nothing, wait for no thread. Otherwise the
// shares of a device add up to its idle time to the nanosecond. `count` of an idle edge
// is the number of idle stretches that this thread ended (of an interface: its packets),
// `longest_ns` the longest of them (of an interface: all of its share), at most the share.
//
// These edges are not cascaded: their weight is their own time (see analyzer/cascade).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/waits/waits.h"

namespace gordian {

struct Stretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  bool operator==(const Stretch&) const = default;
};

struct DeviceUse {
  EntityId device = kNobody;
  std::vector<Stretch> busy;  // disks: in order, not touching
  uint64_t busy_ns = 0;       // within the range asked for
  uint64_t several_ns = 0;    // disks: several requests in flight, or several threads waiting
  uint64_t bytes = 0;         // disks: issued. interfaces: sent and received
  uint64_t operations = 0;    // requests issued, packets
  std::vector<Edge> idle_edges;
  uint64_t requests_without_end = 0;
};

// Of every disk and interface, in order of id. Only time within [from_ns, to_ns) counts.
std::vector<DeviceUse> UseOfDevices(const Waits& waits, uint64_t from_ns, uint64_t to_ns);

}  // namespace gordian
