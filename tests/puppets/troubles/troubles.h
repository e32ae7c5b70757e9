// SPDX-License-Identifier: Apache-2.0
// Programs that each have one trouble with one resource, and nothing else. They run until they are
// killed. `ready` is written to stdout once the trouble is there.
#pragma once

#include <cstdint>
#include <string>

namespace gordian::troubles {

// Prints why and ends the program.
[[noreturn]] void Fail(const std::string& what);
void SayReady();
// Uses a CPU for that long, without a system call that waits.
void Compute(uint64_t duration_ns);

// Reads a file of `bytes` in `folder` page by page, through a mapping and in no order. Under a
// memory limit of less, most pages were read before and have been dropped.
[[noreturn]] void ReadBeyondMemory(const std::string& folder, uint64_t bytes);

// Reads blocks of a file in `folder` one after the other, past the page cache.
[[noreturn]] void ReadFromTheDisk(const std::string& folder);

// Computes on CPU 1. A child, "flood", sends datagrams from CPU 0 through a loopback of a network
// namespace of its own, which hands all packets to CPU 1.
[[noreturn]] void DrownInInterrupts();

// A server with a short accept queue computes for each connection before it takes the next. Child
// processes connect in turn and wait for its answer.
[[noreturn]] void FillAcceptQueue();

// Has nearly as many files open as its limit allows.
[[noreturn]] void OpenNearlyAllFiles();

}  // namespace gordian::troubles
