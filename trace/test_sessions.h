// SPDX-License-Identifier: Apache-2.0
// Small sessions for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/event_block.h"
#include "trace/session_reader.h"

namespace gordian {

// A folder of its own, removed with its contents at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A block of switches at these times, among a few threads.
EventBlock SwitchBlock(uint16_t cpu, const std::vector<uint64_t>& times_ns);

// `count` switches among `threads` threads, a microsecond or so apart, from `begin_ns` on; the same
// for the same seed.
EventBlock BusyBlock(uint16_t cpu, size_t count, uint64_t begin_ns, uint32_t seed = 1);

// One event of every kind, with records and names, a few nanoseconds apart from `begin_ns` on.
EventBlock EveryKindBlock(uint16_t cpu, uint64_t begin_ns);

// The times of all events in the order in which MergedEvents gives them.
std::vector<uint64_t> MergedTimes(SessionReader& session);

// Sorted names.
std::vector<std::string> FilesIn(const std::string& directory);
// Of all files, as the file system tells.
uint64_t BytesIn(const std::string& directory);

std::string ReadWholeFile(const std::string& path);
void WriteWholeFile(const std::string& path, const std::string& bytes);

}  // namespace gordian
