// SPDX-License-Identifier: Apache-2.0
#include "symbols/module_files.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "symbols/elf_identity.h"
#include "symbols/file_identity.h"
#include "symbols/mapped_file.h"
#include "symbols/process_facts.h"
#include "symbols/symbol_counters.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxCheckedBytes = 1 << 30;  // of a file without build-id: it is read whole

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string BuildIdOf(const RegularFile& file) {
  absl::StatusOr<ElfIdentity> identity = ReadElfIdentity(file.handle.get());
  return identity.ok() ? std::move(identity->build_id) : std::string();
}

// The checksum of .gnu_debuglink, over the whole file.
std::optional<uint32_t> Checksum(const RegularFile& file) {
  if (file.size_bytes > kMaxCheckedBytes) return {};
  std::string chunk(1 << 20, '\0');
  uLong sum = crc32(0, nullptr, 0);
  uint64_t done = 0;
  while (done <= kMaxCheckedBytes) {
    const ssize_t got =
        ::pread(file.handle.get(), chunk.data(), chunk.size(), static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) break;
    sum = crc32(sum, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(got));
    done += static_cast<uint64_t>(got);
  }
  return static_cast<uint32_t>(sum);
}

}  // namespace

std::string BuildIdPath(const std::string& debug_folder, const std::string& build_id) {
  const std::string hex = absl::BytesToHexString(build_id);
  return absl::StrCat(debug_folder, "/.build-id/", hex.substr(0, 2), "/",
                      hex.size() > 2 ? hex.substr(2) : "", ".debug");
}

std::string ModuleFiles::IdentityOfAll() const {
  if (!own_image.empty()) return own_image;
  std::string all;
  for (const int file : {image == nullptr ? -1 : image->get(), debug.get(), shared_debug.get()}) {
    const std::string one = file < 0 ? "-" : FileIdentity(file, proc);
    if (one.empty()) return {};
    absl::StrAppend(&all, one, "\n");
  }
  return all;
}

ModuleFinder::ModuleFinder(const SymbolPaths& paths, const SymbolLimits& limits,
                           SymbolCounters& counters)
    : paths_(paths), limits_(limits), counters_(counters), host_root_(paths.root) {}

bool ModuleFinder::IsSmallEnough(const RegularFile& file) {
  if (file.size_bytes <= limits_.max_file_bytes) return true;
  Count(counters_, "symbols_files_too_large");
  return false;
}

bool ModuleFinder::IsMapped(const RegularFile& file, const Mapping& mapping) const {
  if (!mapping.build_id.empty()) return BuildIdOf(file) == mapping.build_id;
  return file.inode == mapping.inode && file.device == mapping.device;
}

std::shared_ptr<const FileHandle> ModuleFinder::FindImage(const std::string& process_folder,
                                                          const FileTree& process_root,
                                                          const Mapping& mapping) {
  if (mapping.kind == MappingKind::kVdso) return OwnVdso(mapping.build_id);
  if (mapping.file != nullptr) return mapping.file;
  std::vector<std::optional<RegularFile>> candidates;
  if (!process_folder.empty()) {
    candidates.push_back(OpenRegularFile(
        absl::StrFormat("%s/map_files/%x-%x", process_folder, mapping.start, mapping.end)));
    candidates.push_back(process_root.Open(mapping.path));
  }
  candidates.push_back(host_root_.Open(mapping.path));
  for (std::optional<RegularFile>& file : candidates) {
    if (!file || !IsMapped(*file, mapping) || !IsSmallEnough(*file)) continue;
    return std::make_shared<const FileHandle>(std::move(file->handle));
  }
  return nullptr;
}

std::optional<RegularFile> ModuleFinder::OpenWithBuildId(const FileTree& tree,
                                                         const std::string& path,
                                                         const std::string& build_id) {
  std::optional<RegularFile> file = tree.Open(path);
  if (!file || BuildIdOf(*file) != build_id || !IsSmallEnough(*file)) return {};
  return file;
}

std::optional<RegularFile> ModuleFinder::OpenWithChecksum(const FileTree& tree,
                                                          const std::string& path,
                                                          const std::string& build_id,
                                                          uint32_t checksum) {
  std::optional<RegularFile> file = tree.Open(path);
  if (!file || !IsSmallEnough(*file)) return {};
  const std::string its_build_id = BuildIdOf(*file);
  const bool fits = build_id.empty() || its_build_id.empty() ? Checksum(*file) == checksum
                                                             : its_build_id == build_id;
  if (!fits) return {};
  return file;
}

// By build-id first, then by the name that the image gives, in the places where gdb looks.
std::optional<ModuleFinder::Place> ModuleFinder::FindDebug(
    const std::vector<const FileTree*>& trees, const Mapping& mapping, const FileHandle* image) {
  if (!mapping.build_id.empty()) {
    const std::string path = BuildIdPath(limits_.debug_folder, mapping.build_id);
    for (const FileTree* tree : trees) {
      std::optional<RegularFile> file = OpenWithBuildId(*tree, path, mapping.build_id);
      if (file) return Place{std::move(*file), path, tree};
    }
  }
  if (image == nullptr) return {};
  const DebugLinks links = ReadDebugLinks(image->get());
  if (links.name.empty() || links.name.find('/') != std::string::npos) return {};
  const std::string folder = FolderOf(mapping.path);
  for (const FileTree* tree : trees) {
    for (const std::string& path :
         {absl::StrCat(folder, "/", links.name), absl::StrCat(folder, "/.debug/", links.name),
          absl::StrCat(limits_.debug_folder, folder, "/", links.name)}) {
      std::optional<RegularFile> file = OpenWithChecksum(*tree, path, mapping.build_id, links.crc);
      if (file) return Place{std::move(*file), path, tree};
    }
  }
  return {};
}

FileHandle ModuleFinder::FindSharedDebug(const std::vector<const FileTree*>& trees,
                                         const Place* debug, const FileHandle* image) {
  const FileHandle* source = debug != nullptr ? &debug->file.handle : image;
  if (source == nullptr) return {};
  const DebugLinks links = ReadDebugLinks(source->get());
  if (links.shared_path.empty()) return {};
  std::vector<std::string> paths = {BuildIdPath(limits_.debug_folder, links.shared_build_id)};
  if (links.shared_path.front() == '/') {
    paths.push_back(links.shared_path);
  } else if (debug != nullptr) {
    paths.push_back(absl::StrCat(FolderOf(debug->path), "/", links.shared_path));
  }
  for (const FileTree* tree : trees) {
    for (const std::string& path : paths) {
      std::optional<RegularFile> file = OpenWithBuildId(*tree, path, links.shared_build_id);
      if (file) return std::move(file->handle);
    }
  }
  return {};
}

ModuleFiles ModuleFinder::Find(const ProcessMaps& process, const Mapping& mapping) {
  const std::optional<ProcessFacts> facts =
      FindProcess(paths_, process.pid, process.start_time_ticks);
  const std::string folder = facts ? facts->folder : std::string();
  const FileTree process_root = facts ? FileTree::OfProcess(folder) : FileTree();
  const std::vector<const FileTree*> trees = {&process_root, &host_root_};

  ModuleFiles files;
  files.image = FindImage(folder, process_root, mapping);
  files.segments = mapping.segments;
  if (files.segments.empty() && files.image != nullptr) {
    absl::StatusOr<ElfIdentity> identity = ReadElfIdentity(files.image->get());
    if (identity.ok()) files.segments = std::move(identity->segments);
  }
  std::optional<Place> debug = FindDebug(trees, mapping, files.image.get());
  files.shared_debug = FindSharedDebug(trees, debug ? &*debug : nullptr, files.image.get());
  if (debug) files.debug = std::move(debug->file.handle);
  files.proc = paths_.proc;
  if (mapping.kind == MappingKind::kVdso)
    files.own_image = absl::StrCat("vdso ", absl::BytesToHexString(mapping.build_id));
  files.identity = files.IdentityOfAll();
  return files;
}

}  // namespace gordian
