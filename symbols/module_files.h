// SPDX-License-Identifier: Apache-2.0
// Finds the files of a module that can still be read: the file itself and its separate debug files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbols/file_tree.h"
#include "symbols/symbols.h"

namespace gordian {

struct ModuleFiles {
  std::shared_ptr<const FileHandle> image;
  FileHandle debug;
  FileHandle shared_debug;
  std::vector<ModuleSegment> segments;
  // Of all these files (file_identity.h); empty: nothing about them is kept.
  std::string identity;
  std::string own_image;  // the kernel's image in this process needs no other identity
  std::string proc;

  // No file was written to since `identity` was taken.
  bool AreUnchanged() const { return IdentityOfAll() == identity; }
  std::string IdentityOfAll() const;
  bool found() const { return image != nullptr || debug.is_open(); }
};

class ModuleFinder {
 public:
  ModuleFinder(const SymbolPaths& paths, const SymbolLimits& limits, SymbolCounters& counters);

  // Of a mapping with kind kFile or kVdso. The process's own files come before the host's, and
  // each is taken only if its build-id is the mapped one's (or, without one, if it is the same
  // file).
  ModuleFiles Find(const ProcessMaps& process, const Mapping& mapping);

 private:
  struct Place {
    RegularFile file;
    std::string path;
    const FileTree* tree = nullptr;
  };

  bool IsSmallEnough(const RegularFile& file);
  bool IsMapped(const RegularFile& file, const Mapping& mapping) const;
  std::shared_ptr<const FileHandle> FindImage(const std::string& process_folder,
                                              const FileTree& process_root, const Mapping& mapping);
  std::optional<Place> FindDebug(const std::vector<const FileTree*>& trees, const Mapping& mapping,
                                 const FileHandle* image);
  FileHandle FindSharedDebug(const std::vector<const FileTree*>& trees, const Place* debug,
                             const FileHandle* image);
  std::optional<RegularFile> OpenWithBuildId(const FileTree& tree, const std::string& path,
                                             const std::string& build_id);
  std::optional<RegularFile> OpenWithChecksum(const FileTree& tree, const std::string& path,
                                              const std::string& build_id, uint32_t checksum);

  SymbolPaths paths_;
  SymbolLimits limits_;
  SymbolCounters& counters_;
  FileTree host_root_;
};

// Where debug files are named by their build-id: FOLDER/.build-id/ab/cdef….debug
std::string BuildIdPath(const std::string& debug_folder, const std::string& build_id);

}  // namespace gordian
