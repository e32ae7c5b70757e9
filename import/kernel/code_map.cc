// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/code_map.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gordian {
namespace {

constexpr std::string_view kKernelFile = "[kernel.kallsyms]";

// "/lib/modules/6.1.0/kernel/fs/nls/nls-utf8.ko.xz" → "[nls_utf8]", as the kernel calls it.
std::string ModuleName(std::string_view path) {
  if (path.starts_with(kKernelFile)) return "[kernel]";
  std::string name(path.substr(path.rfind('/') + 1));
  if (const size_t suffix = name.find(".ko"); suffix != name.npos) name.resize(suffix);
  if (name.starts_with('[')) return name;
  std::replace(name.begin(), name.end(), '-', '_');
  return "[" + name + "]";
}

// What is mapped later takes the place of what was there.
void Lay(const Mapping& mapping, std::map<uint64_t, Mapping>& by_start) {
  auto old = by_start.lower_bound(mapping.start);
  if (old != by_start.begin()) {
    Mapping& before = std::prev(old)->second;
    before.end = std::min(before.end, mapping.start);
  }
  while (old != by_start.end() && old->first < mapping.end) old = by_start.erase(old);
  by_start.emplace(mapping.start, mapping);
}

}  // namespace

bool CodeMap::HasRoom() {
  if (events_.size() < kMaxMappings) return true;
  ++dropped_;
  return false;
}

void CodeMap::AddMapping(uint64_t time_ns, int32_t pid, Mapping mapping) {
  if (mapping.end <= mapping.start || !HasRoom()) return;
  events_.push_back(
      {.time_ns = time_ns, .pid = pid, .mapping = static_cast<uint32_t>(mappings_.size())});
  mappings_.push_back(std::move(mapping));
}

void CodeMap::NoteExec(uint64_t time_ns, int32_t pid) {
  if (HasRoom()) events_.push_back({.time_ns = time_ns, .pid = pid, .change = Change::kExec});
}

void CodeMap::NoteFork(uint64_t time_ns, int32_t pid, int32_t parent_pid) {
  if (pid == parent_pid || !HasRoom()) return;
  events_.push_back(
      {.time_ns = time_ns, .pid = pid, .parent_pid = parent_pid, .change = Change::kFork});
}

void CodeMap::NoteBuildId(std::string_view path, std::string_view build_id) {
  if (build_ids_.size() < kMaxMappings)
    build_ids_.insert_or_assign(std::string(path), std::string(build_id));
}

void CodeMap::AddKernelMapping(uint64_t start, uint64_t end, std::string_view path) {
  if (end <= start || kernel_modules_.size() >= kMaxMappings) return;
  if (path.starts_with(kKernelFile) && kernel_start_ == 0) kernel_start_ = start;
  kernel_modules_[start] = {end, ModuleName(path)};
}

void CodeMap::AddKernelFunction(uint64_t start, uint64_t end, std::string_view name) {
  if (end <= start || kernel_functions_.size() >= kMaxMappings) return;
  kernel_functions_[start] = {end, std::string(name)};
}

std::string CodeMap::kernel_build_id() const {
  const auto found = build_ids_.find(kKernelFile);
  return found == build_ids_.end() ? std::string() : found->second;
}

ResolvedAddress CodeMap::KernelPlace(uint64_t address) const {
  const auto holding = [&](const std::map<uint64_t, Place>& places) {
    const auto after = places.upper_bound(address);
    if (after == places.begin() || address >= std::prev(after)->second.end) return places.end();
    return std::prev(after);
  };
  ResolvedAddress place{.module = "[kernel]", .module_offset = address};
  if (const auto function = holding(kernel_functions_); function != kernel_functions_.end()) {
    place.frames = {Frame{.function = function->second.name}};
    place.module = "[bpf]";
    place.module_offset = address - function->first;
  } else if (const auto module = holding(kernel_modules_); module != kernel_modules_.end()) {
    place.module = module->second.name;
    place.module_offset = address - module->first;
  }
  return place;
}

ProcessMaps CodeMap::MapsOf(int32_t pid, const std::vector<uint32_t>& mappings) const {
  std::map<uint64_t, Mapping> by_start;
  for (const uint32_t index : mappings) Lay(mappings_[index], by_start);
  ProcessMaps maps{.pid = pid, .pid_in_namespace = pid};
  for (auto& [start, mapping] : by_start) {
    if (mapping.end <= start) continue;
    if (const auto told = build_ids_.find(mapping.path);
        mapping.build_id.empty() && told != build_ids_.end())
      mapping.build_id = told->second;
    maps.mappings.push_back(std::move(mapping));
  }
  return maps;
}

std::map<int32_t, std::vector<TracedImage>> CodeMap::ImagesOf(
    const absl::flat_hash_set<int32_t>& pids) {
  struct Present {
    uint64_t begin_ns = 0;
    std::vector<uint32_t> mappings;
  };
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
  std::map<int32_t, std::vector<TracedImage>> images;
  absl::flat_hash_map<int32_t, Present> present;
  const auto keep = [&](int32_t pid, const Present& image) {
    if (!image.mappings.empty() && pids.contains(pid))
      images[pid].push_back({image.begin_ns, MapsOf(pid, image.mappings)});
  };
  size_t inherited = 0;
  for (const Event& event : events_) {
    if (event.change == Change::kMapped) {
      present[event.pid].mappings.push_back(event.mapping);
      continue;
    }
    // A number that is given again is another process, and an exec leaves nothing of the old one.
    Present next{.begin_ns = event.time_ns};
    if (const auto parent = present.find(event.parent_pid);
        event.change == Change::kFork && parent != present.end() &&
        inherited + parent->second.mappings.size() <= kMaxInherited) {
      next.mappings = parent->second.mappings;
      inherited += next.mappings.size();
    }
    Present& old = present[event.pid];
    keep(event.pid, old);
    old = std::move(next);
  }
  for (const auto& [pid, image] : present) keep(pid, image);
  return images;
}

}  // namespace gordian
