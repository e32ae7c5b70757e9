// SPDX-License-Identifier: Apache-2.0
// A puppet at work: a process whose addresses a test names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/file_io.h"

namespace gordian {

// A program with functions of known names and lines, for every kind of reader.
inline constexpr char kPuppet[] = GORDIAN_TEST_PROGRAMS "/symbols_puppet";

class Puppet {
 public:
  // Takes root, and a root of our own that is mounted (none that was changed by chroot).
  static bool CanHaveItsOwnRoot();

  // Runs `program` with `arguments`, in a container-like root of its own if `root` is not empty,
  // and waits until it has told the addresses of its functions.
  explicit Puppet(const std::string& program, const std::vector<std::string>& arguments = {},
                  const std::string& root = "");
  ~Puppet() { Stop(); }
  Puppet(const Puppet&) = delete;
  Puppet& operator=(const Puppet&) = delete;

  bool ready() const { return ready_; }
  pid_t pid() const { return pid_; }
  // An address in the function that the puppet calls by that name; 0 if it has none.
  uint64_t AddressIn(const std::string& name) const;
  // Writes a line to its input.
  void Say(const std::string& line);
  // Ends it and waits until it is gone.
  void Stop();

 private:
  pid_t pid_ = -1;
  bool ready_ = false;
  FileHandle input_;
  std::map<std::string, uint64_t> addresses_;
};

// The number of the line of `source` (in symbols/puppets) that is marked "// line of: NAME".
uint32_t MarkedLine(const std::string& source, const std::string& name);

// A file that is nowhere but in memory.
FileHandle InMemory(const std::string& bytes);

}  // namespace gordian
