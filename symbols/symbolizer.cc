// SPDX-License-Identifier: Apache-2.0
// How Resolve works: each address is given to its mapping, and all mappings of one module (same
// build-id) put their offsets together. Each module is then read once, in a child, for the offsets
// that are not in the cache.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "symbols/debug_package.h"
#include "symbols/disk_cache.h"
#include "symbols/file_tree.h"
#include "symbols/kernel_symbols.h"
#include "symbols/module_files.h"
#include "symbols/module_reader.h"
#include "symbols/perf_map.h"
#include "symbols/process_notes.h"
#include "symbols/symbol_counters.h"
#include "symbols/symbols.h"

namespace gordian {
namespace {

constexpr size_t kMaxPlacesTried = 8;  // processes whose files are tried for one module
constexpr size_t kMaxNotes = 64;

// Which addresses of one module are wanted, and where its files may be found.
struct Module {
  std::vector<std::pair<const ProcessMaps*, const Mapping*>> places;
  std::vector<uint64_t> missing_offsets;
};

std::string ModuleKey(const Mapping& mapping) {
  if (mapping.kind == MappingKind::kVdso) return mapping.build_id;
  // A build-id alone can be made up, and would spoil the names of others.
  if (!mapping.build_id.empty())
    return absl::StrCat(mapping.build_id, " ", mapping.device, ":", mapping.inode);
  return absl::StrCat("file ", mapping.device, ":", mapping.inode, " ", mapping.path);
}

bool HasFile(const Mapping& mapping) { return mapping.kind != MappingKind::kAnonymous; }

const Mapping* FindMapping(const ProcessMaps& maps, uint64_t address) {
  auto after =
      std::upper_bound(maps.mappings.begin(), maps.mappings.end(), address,
                       [](uint64_t a, const Mapping& mapping) { return a < mapping.start; });
  if (after == maps.mappings.begin()) return nullptr;
  const Mapping& mapping = *std::prev(after);
  return address < mapping.end ? &mapping : nullptr;
}

uint64_t OffsetIn(const Mapping& mapping, uint64_t address) {
  return address - mapping.start + mapping.file_offset;
}

// Where the file's own symbols count that offset.
std::optional<uint64_t> ModuleAddress(const std::vector<ModuleSegment>& segments, uint64_t offset) {
  for (const ModuleSegment& segment : segments) {
    if (offset >= segment.file_offset && offset - segment.file_offset < segment.size_bytes) {
      return segment.address + (offset - segment.file_offset);
    }
  }
  return {};
}

}  // namespace

class Symbolizer::Impl {
 public:
  Impl(SymbolPaths paths, SymbolLimits limits)
      : paths_(std::move(paths)),
        limits_(std::move(limits)),
        cache_on_disk_(paths_.cache),
        finder_(paths_, limits_, counters_),
        reader_(limits_, cache_on_disk_, counters_),
        host_root_(paths_.root) {}

  std::vector<std::vector<ResolvedAddress>> Resolve(std::span<const ProcessAddresses> processes) {
    // Not within Learn: the names that this call needs must stay.
    if (cached_addresses_ > limits_.max_cached_addresses) {
      cache_.clear();
      cached_addresses_ = 0;
    }
    Learn(processes);
    std::vector<std::vector<ResolvedAddress>> results;
    for (const ProcessAddresses& process : processes) {
      std::vector<ResolvedAddress>& named = results.emplace_back();
      named.reserve(process.addresses.size());
      uint64_t unnamed_jit = 0;
      for (const uint64_t address : process.addresses) {
        named.push_back(Name(*process.maps, address, unnamed_jit));
      }
      if (unnamed_jit > 0) Note(NoteOnUnnamedCode(*process.maps));
    }
    return results;
  }

  std::vector<ResolvedAddress> ResolveKernel(std::span<const uint64_t> addresses) {
    ReadKernel();
    std::vector<ResolvedAddress> results(addresses.size());
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (kernel_->Find(addresses[i], results[i])) continue;
      results[i].module = "[kernel]";
      Count(counters_, "symbols_addresses_unnamed");
    }
    return results;
  }

  void ReadFunctions(const ProcessMaps& maps, const Mapping& mapping) {
    if (!cache_on_disk_.status().ok()) return;
    const ModuleFiles files = finder_.Find(maps, mapping);
    if (files.found() && !files.identity.empty()) reader_.ReadFunctions(files);
  }

  const SymbolCounters& counters() const { return counters_; }
  std::vector<std::string> notes() const {
    std::vector<std::string> all = notes_;
    for (std::string& note : NotesOnStrippedFiles(host_root_, stripped_)) {
      if (all.size() < kMaxNotes) all.push_back(std::move(note));
    }
    return all;
  }

 private:
  // Reads every module with offsets that are not in the cache.
  void Learn(std::span<const ProcessAddresses> processes) {
    std::map<std::string, Module> modules;
    for (const ProcessAddresses& process : processes) {
      const Mapping* last = nullptr;
      Module* module = nullptr;
      Offsets* known = nullptr;
      for (const uint64_t address : process.addresses) {
        const Mapping* mapping = FindMapping(*process.maps, address);
        if (mapping == nullptr || !HasFile(*mapping)) continue;
        if (mapping != last) {
          const std::string key = ModuleKey(*mapping);
          module = &modules[key];
          known = &cache_[key];
          if (module->places.size() < kMaxPlacesTried) {
            module->places.emplace_back(process.maps, mapping);
          }
          last = mapping;
        }
        const uint64_t offset = OffsetIn(*mapping, address);
        if (!known->contains(offset)) module->missing_offsets.push_back(offset);
      }
    }
    for (auto& [key, module] : modules) {
      if (module.missing_offsets.empty()) continue;
      if (limits_.stop != nullptr && *limits_.stop) {
        Count(counters_, "symbols_modules_left_at_request");
        continue;
      }
      ReadModule(module, cache_[key]);
    }
  }

  void ReadModule(Module& module, Offsets& known) {
    ModuleFiles files;
    const Mapping* found = nullptr;
    for (const auto& [process, mapping] : module.places) {
      files = finder_.Find(*process, *mapping);
      found = mapping;
      if (files.found()) break;
    }
    if (!files.found()) {
      Count(counters_, "symbols_modules_without_file");
      return;
    }
    std::vector<uint64_t>& offsets = module.missing_offsets;
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    std::vector<ModuleReader::Wanted> wanted;
    for (const uint64_t offset : offsets) {
      const std::optional<uint64_t> address = ModuleAddress(files.segments, offset);
      if (address) wanted.push_back({*address, offset});
    }
    std::sort(wanted.begin(), wanted.end());
    Offsets answers = reader_.Read(files, wanted);
    cached_addresses_ += answers.size();
    const auto unnamed = static_cast<size_t>(std::count_if(
        answers.begin(), answers.end(), [](const auto& one) { return one.second.frames.empty(); }));
    if (unnamed > 0 && !files.debug.is_open() && found->kind == MappingKind::kFile)
      stripped_[found->path] += unnamed;
    known.merge(answers);
  }

  ResolvedAddress Name(const ProcessMaps& maps, uint64_t address, uint64_t& unnamed_jit) {
    ResolvedAddress resolved;
    const Mapping* mapping = FindMapping(maps, address);
    if (mapping == nullptr) {
      resolved.module_offset = address;
    } else {
      resolved.module = mapping->path.empty() ? "[anonymous]" : mapping->path;
      resolved.module_offset = OffsetIn(*mapping, address);
      if (HasFile(*mapping)) {
        const auto known = cache_.find(ModuleKey(*mapping));
        if (known == cache_.end()) return resolved;
        const auto place = known->second.find(resolved.module_offset);
        if (place != known->second.end()) {
          resolved.frames = place->second.frames;
          resolved.spins = place->second.spins;
        }
      }
    }
    if (!resolved.frames.empty()) return resolved;
    Frame frame;
    if (maps.perf_map != nullptr && maps.perf_map->Find(address, frame)) {
      resolved.frames = {std::move(frame)};
      resolved.module = "[jit]";
      resolved.module_offset = address;
      return resolved;
    }
    Count(counters_,
          mapping == nullptr ? "symbols_addresses_unmapped" : "symbols_addresses_unnamed");
    if (mapping == nullptr || !HasFile(*mapping)) ++unnamed_jit;
    return resolved;
  }

  void ReadKernel() {
    if (kernel_) return;
    const std::optional<RegularFile> file = OpenRegularFile(paths_.proc + "/kallsyms");
    bool cut = false;
    std::string text;
    if (file) text = ReadText(file->handle.get(), kMaxKallsymsBytes, cut);
    kernel_ = KernelSymbols::Parse(std::move(text));
    Count(counters_, "symbols_kallsyms_lines_malformed", kernel_->malformed_lines());
    if (!file) {
      Note("The kernel's functions have no names: it was built without /proc/kallsyms.");
    } else if (kernel_->hidden()) {
      Note(
          "The kernel's functions have no names because it hides their addresses: run as root, or "
          "with `sysctl kernel.kptr_restrict=0`.");
    }
  }

  void Note(std::string line) {
    if (line.empty() || notes_.size() == kMaxNotes) return;
    if (std::find(notes_.begin(), notes_.end(), line) == notes_.end()) {
      notes_.push_back(std::move(line));
    }
  }

  SymbolPaths paths_;
  SymbolLimits limits_;
  SymbolCounters counters_;
  std::vector<std::string> notes_;
  std::map<std::string, size_t> stripped_;  // files, and how many addresses in each have no name
  DiskCache cache_on_disk_;
  ModuleFinder finder_;
  ModuleReader reader_;
  FileTree host_root_;
  std::unordered_map<std::string, Offsets> cache_;  // by module
  size_t cached_addresses_ = 0;
  std::optional<KernelSymbols> kernel_;
};

Symbolizer::Symbolizer(SymbolPaths paths, SymbolLimits limits)
    : impl_(std::make_unique<Impl>(std::move(paths), std::move(limits))) {}
Symbolizer::~Symbolizer() = default;

std::vector<std::vector<ResolvedAddress>> Symbolizer::Resolve(
    std::span<const ProcessAddresses> processes) {
  return impl_->Resolve(processes);
}

std::vector<ResolvedAddress> Symbolizer::Resolve(const ProcessMaps& maps,
                                                 std::span<const uint64_t> addresses) {
  const ProcessAddresses process = {&maps, addresses};
  return std::move(impl_->Resolve(std::span(&process, 1)).front());
}

void Symbolizer::ReadFunctions(const ProcessMaps& maps, const Mapping& mapping) {
  impl_->ReadFunctions(maps, mapping);
}

std::vector<ResolvedAddress> Symbolizer::ResolveKernel(std::span<const uint64_t> addresses) {
  return impl_->ResolveKernel(addresses);
}

const SymbolCounters& Symbolizer::counters() const { return impl_->counters(); }
std::vector<std::string> Symbolizer::notes() const { return impl_->notes(); }

}  // namespace gordian
