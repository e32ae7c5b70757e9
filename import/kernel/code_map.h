// SPDX-License-Identifier: Apache-2.0
// Where code lay in memory while a trace was taken: what each process had mapped through its life,
// and the kernel's own. The trace may tell it in any order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "symbols/symbols.h"

namespace gordian {

// A process between two execs.
struct TracedImage {
  uint64_t begin_ns = 0;
  ProcessMaps maps;
};

class CodeMap {
 public:
  // Some 200 bytes each. More are left out and counted: their code has no names.
  static constexpr size_t kMaxMappings = 1u << 18;
  // Of all mappings that processes have from their parents, 4 bytes each.
  static constexpr size_t kMaxInherited = 4u << 20;

  void AddMapping(uint64_t time_ns, int32_t pid, Mapping mapping);
  void NoteExec(uint64_t time_ns, int32_t pid);
  void NoteFork(uint64_t time_ns, int32_t pid, int32_t parent_pid);
  // Of a file, if its mappings do not tell it themselves.
  void NoteBuildId(std::string_view path, std::string_view build_id);

  // Of the kernel itself, or one of its modules.
  void AddKernelMapping(uint64_t start, uint64_t end, std::string_view path);
  // A function that was made while the kernel ran, as BPF programs are.
  void AddKernelFunction(uint64_t start, uint64_t end, std::string_view name);

  // The images of these processes, oldest first.
  std::map<int32_t, std::vector<TracedImage>> ImagesOf(const absl::flat_hash_set<int32_t>& pids);
  // What is known of an address of the kernel: a function, or a module and the place in it.
  ResolvedAddress KernelPlace(uint64_t address) const;
  // Where the kernel's own code began, and its build-id; 0 and empty where not told.
  uint64_t kernel_start() const { return kernel_start_; }
  std::string kernel_build_id() const;

  uint64_t dropped() const { return dropped_; }

 private:
  enum class Change : uint8_t { kMapped, kExec, kFork };
  struct Event {
    uint64_t time_ns = 0;
    int32_t pid = 0;
    int32_t parent_pid = 0;
    uint32_t mapping = 0;
    Change change = Change::kMapped;
  };
  struct Place {
    uint64_t end = 0;
    std::string name;
  };

  ProcessMaps MapsOf(int32_t pid, const std::vector<uint32_t>& mappings) const;
  bool HasRoom();

  std::vector<Event> events_;
  std::vector<Mapping> mappings_;
  std::map<std::string, std::string, std::less<>> build_ids_;  // by path
  std::map<uint64_t, Place> kernel_modules_;                   // by start
  std::map<uint64_t, Place> kernel_functions_;                 // likewise
  uint64_t kernel_start_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace gordian
