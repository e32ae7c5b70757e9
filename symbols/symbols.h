// SPDX-License-Identifier: Apache-2.0
// Names code: from addresses in a process or in the kernel to functions, files and lines.
//
// It takes two steps, because a process may be gone when its addresses are to be named:
//   1. While it lives, ProcessCapture notes its mappings: files, build-ids, addresses. This is
//      cheap: a file is opened once, even if many processes map it.
//   2. Later, Symbolizer names addresses with these notes and with the files that are found by
//      then. Files are parsed in a child process that may neither open files nor use much memory
//      and time: a hostile file costs no more than its own names.
//
// Everything that could not be read or named is counted (names of trace/counters.h). Failures that
// the user can mend have a note.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "symbols/reading_account.h"
#include "trace/file_io.h"

namespace gordian {

// The mount of the kernel's process tree, and the root of the host's files. Tests pass fixtures.
struct SymbolPaths {
  std::string proc = "/proc";
  std::string root = "/";
  // Where results are kept from one recording to the next (disk_cache.h). Empty: nowhere.
  std::string cache;
};

using SymbolCounters = std::map<std::string, uint64_t, std::less<>>;

// ---- What a process has mapped ----

// Part of an ELF file that is loaded: `size_bytes` from `file_offset` belong at `address` (as the
// file's own symbols count addresses).
struct ModuleSegment {
  uint64_t file_offset = 0;
  uint64_t size_bytes = 0;
  uint64_t address = 0;
};

enum class MappingKind { kFile, kVdso, kAnonymous };

// One executable range of a process's memory.
struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;  // the first address behind it
  uint64_t file_offset = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  MappingKind kind = MappingKind::kAnonymous;
  bool deleted = false;                 // the file has no name any more
  std::string path;                     // as the process sees it; "[vdso]", "[anon:…]" or empty
  std::string build_id;                 // raw bytes; empty if there is no build-id or it is not
                                        // known
  std::vector<ModuleSegment> segments;  // empty where the file could not be read
  // The file, held open if the host knows it by no name (deleted, in a container), so that it can
  // be read when the process is gone.
  std::shared_ptr<const FileHandle> file;
};

class PerfMap;

struct ProcessMaps {
  int pid = 0;
  int pid_in_namespace = 0;                 // the process's own idea of its pid; names its perf map
  uint64_t start_time_ticks = 0;            // tells it from a later process of that pid
  std::vector<Mapping> mappings;            // by address, executable ones only
  std::shared_ptr<const PerfMap> perf_map;  // its JIT compiler's list, if it was read
};

struct CaptureLimits {
  uint64_t max_maps_bytes = 32 << 20;  // some 300,000 lines; the kernel's default is 65,530
  size_t max_mappings = 65536;         // executable ones of one process
  size_t max_open_files = 256;         // held open because nothing else leads to them
};

// Notes the mappings of processes. Not thread-safe.
class ProcessCapture {
 public:
  explicit ProcessCapture(SymbolPaths paths = {}, CaptureLimits limits = {});

  // NotFound if there is no such process or, where `start_time_ticks` (field 22 of /proc/PID/stat)
  // is not 0, another one has its pid by now.
  absl::StatusOr<ProcessMaps> Read(int pid, uint64_t start_time_ticks = 0);
  // Reads the perf map of the process, if it has one: costs up to a second for the largest. Call it
  // as late in the process's life as possible, because JIT compilers go on writing.
  void ReadPerfMap(ProcessMaps& maps);

  const SymbolCounters& counters() const { return counters_; }

 private:
  struct KnownFile {
    std::string build_id;
    std::vector<ModuleSegment> segments;
    std::shared_ptr<const FileHandle> file;
  };

  void IdentifyFile(const std::string& process_folder, Mapping& mapping);
  void IdentifyVdso(const std::string& process_folder, Mapping& mapping);
  bool HostKnows(const Mapping& mapping) const;

  SymbolPaths paths_;
  CaptureLimits limits_;
  std::unordered_map<std::string, KnownFile> known_files_;  // by device, inode, size, change time
  size_t open_files_ = 0;
  SymbolCounters counters_;
};

// ---- What an address means ----

struct Frame {
  std::string function;  // demangled; see words/function_names.h
  std::string file;      // empty where not known
  uint32_t line = 0;     // 0: not known
  bool inlined = false;  // part of the next frame's machine code

  bool operator==(const Frame&) const = default;
};

struct ResolvedAddress {
  std::vector<Frame> frames;   // innermost first, the function proper last; empty: no name found
  std::string module;          // path of the file; "[kernel]", a kernel module, "[jit]", …
  uint64_t module_offset = 0;  // in the file; from the image's first symbol for the kernel
  bool spins = false;          // the code there only waits for another thread (spin_loop.h)
};

struct SymbolLimits {
  uint64_t max_file_bytes = uint64_t{8} << 30;    // larger files are left unread
  uint64_t max_memory_bytes = uint64_t{2} << 30;  // of the child that reads one module
  uint32_t max_cpu_seconds = 20;                  // of that child
  uint32_t max_wall_seconds = 60;                 // of that child
  uint32_t max_symbols = 4 << 20;                 // of one module
  uint32_t max_inline_depth = 64;                 // frames of one address
  size_t max_cached_addresses = 500000;           // the cache is emptied when it holds more
  std::string debug_folder = "/usr/lib/debug";
  ReadingAccount* account = nullptr;  // is told the children's CPU time
  // Null, or no further module is read once it is true: "symbols_modules_left_at_request".
  const std::atomic<bool>* stop = nullptr;
};

struct ProcessAddresses {
  const ProcessMaps* maps = nullptr;
  // Of instructions. A return address names the code behind the call: pass it less one.
  std::span<const uint64_t> addresses;
};

// Names addresses. Keeps the names it has found by file; with a cache, on disk too. Not
// thread-safe.
class Symbolizer {
 public:
  explicit Symbolizer(SymbolPaths paths = {}, SymbolLimits limits = {});
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // One result per address, in the same order. All processes at once: each file is then read once.
  std::vector<std::vector<ResolvedAddress>> Resolve(std::span<const ProcessAddresses> processes);
  std::vector<ResolvedAddress> Resolve(const ProcessMaps& maps,
                                       std::span<const uint64_t> addresses);
  // Reads a module's list of functions ahead, if that can be kept on disk: so it need not be read
  // when the names are wanted.
  void ReadFunctions(const ProcessMaps& maps, const Mapping& mapping);
  // Of the kernel that runs here and now.
  std::vector<ResolvedAddress> ResolveKernel(std::span<const uint64_t> addresses);

  const SymbolCounters& counters() const;
  // Lines for the user: ways to get more names.
  std::vector<std::string> notes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gordian
