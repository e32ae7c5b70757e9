// SPDX-License-Identifier: Apache-2.0
// The parts of an ELF file that the daemon itself reads: a few bounded headers, by pread, so that
// neither a hostile file nor one that shrinks meanwhile can do harm. Names and lines are read
// elsewhere, in the child process (module_names.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "symbols/symbols.h"

namespace gordian {

struct ElfIdentity {
  std::string build_id;
  std::vector<ModuleSegment> segments;
};

// InvalidArgument if it is no ELF file of this machine's byte order, or is damaged.
absl::StatusOr<ElfIdentity> ReadElfIdentity(int file);

// Where an ELF file says its debug information lies.
struct DebugLinks {
  std::string name;             // .gnu_debuglink: a file's name
  uint32_t crc = 0;             // and its checksum
  std::string shared_path;      // .gnu_debugaltlink: the shared part of several debug files (dwz)
  std::string shared_build_id;  // raw bytes
};

// Empty if there is no link, or the file is damaged.
DebugLinks ReadDebugLinks(int file);

}  // namespace gordian
