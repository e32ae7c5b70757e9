// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/stack_code.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "import/kernel/byte_cursor.h"
#include "symbols/symbol_writer.h"

namespace gordian {
namespace {

// Of each child that reads a symbol file: a user waits for the import to end.
constexpr uint64_t kNamingMemoryBytes = uint64_t{1} << 30;
constexpr uint32_t kNamingSeconds = 10;

// As of recordings: all but the innermost address point behind a call, maybe at the next function.
uint64_t CodeOf(const std::vector<uint64_t>& frames, size_t i) {
  return i == 0 || frames[i] == 0 ? frames[i] : frames[i] - 1;
}

// Among the notes of the kernel's own image.
std::string BuildIdOfKernel(const std::string& file) {
  constexpr uint32_t kBuildIdNote = 3;  // NT_GNU_BUILD_ID
  constexpr size_t kMaxNotesBytes = 64u << 10;
  std::ifstream input(file, std::ios::binary);
  std::vector<uint8_t> notes(kMaxNotesBytes);
  input.read(reinterpret_cast<char*>(notes.data()), kMaxNotesBytes);
  ByteCursor bytes(std::span<const uint8_t>(notes).first(static_cast<size_t>(input.gcount())));
  uint32_t name_bytes = 0;
  uint32_t value_bytes = 0;
  uint32_t type = 0;
  while (bytes.Take(name_bytes) && bytes.Take(value_bytes) && bytes.Take(type)) {
    std::string_view name;
    std::string_view value;
    if (!bytes.TakeText(name_bytes, name) || !bytes.Skip((4 - name_bytes % 4) % 4) ||
        !bytes.TakeText(value_bytes, value) || !bytes.Skip((4 - value_bytes % 4) % 4))
      break;
    if (type == kBuildIdNote && name.starts_with("GNU")) return std::string(value);
  }
  return {};
}

// Where this kernel's code begins, in words of /proc/kallsyms: "ffffffff81000000 T _text".
bool BeginsAt(const std::string& kallsyms, uint64_t address) {
  std::ifstream input(kallsyms);
  std::string line;
  while (std::getline(input, line)) {
    if (!line.ends_with(" _text") && !line.ends_with(" _stext")) continue;
    if (std::strtoull(line.c_str(), nullptr, 16) == address) return true;
  }
  return false;
}

// The functions of the kernel that runs here are those of the trace if it is the same build at the
// same place. Its modules may still lie elsewhere: their names must be those that the trace tells.
bool IsKernelHere(const CodeMap& map, const std::string& proc) {
  const std::string build_id = map.kernel_build_id();
  return !build_id.empty() && map.kernel_start() != 0 &&
         BuildIdOfKernel("/sys/kernel/notes") == build_id &&
         BeginsAt(proc + "/kallsyms", map.kernel_start());
}

std::map<uint64_t, ResolvedAddress> NameKernel(const KernelCode& code, const SymbolPaths& paths,
                                               Symbolizer& symbolizer) {
  std::map<uint64_t, ResolvedAddress> named;
  for (uint32_t id = 1; id <= code.stacks.size(); ++id) {
    const std::vector<uint64_t>& frames = code.stacks[id].record.kernel;
    for (size_t i = 0; i < frames.size(); ++i) named.try_emplace(CodeOf(frames, i));
  }
  std::vector<uint64_t> unnamed;
  for (auto& [address, place] : named) {
    place = code.map.KernelPlace(address);
    if (place.frames.empty()) unnamed.push_back(address);
  }
  if (unnamed.empty() || !IsKernelHere(code.map, paths.proc)) return named;
  const std::vector<ResolvedAddress> answers = symbolizer.ResolveKernel(unnamed);
  for (size_t i = 0; i < unnamed.size(); ++i) {
    ResolvedAddress& place = named[unnamed[i]];
    if (!answers[i].frames.empty() && answers[i].module == place.module) place = answers[i];
  }
  return named;
}

// The image in which most of the addresses are code. Of equals the one that the process was in.
const TracedImage* ImageOf(const std::vector<TracedImage>& images,
                           const KernelStacks::Stack& stack) {
  const TracedImage* best = nullptr;
  size_t most = 0;
  for (const TracedImage& image : images) {
    const auto holds = [&](uint64_t address) {
      return std::any_of(
          image.maps.mappings.begin(), image.maps.mappings.end(),
          [&](const Mapping& one) { return address >= one.start && address < one.end; });
    };
    const auto within = static_cast<size_t>(
        std::count_if(stack.record.user.begin(), stack.record.user.end(), holds));
    if (best != nullptr &&
        (within < most || (within == most && image.begin_ns > stack.first_time_ns)))
      continue;
    best = &image;
    most = within;
  }
  return best;
}

}  // namespace

pb::Symbols NameStacks(KernelCode& code, const SymbolPaths& paths) {
  SymbolLimits limits;
  limits.max_memory_bytes = kNamingMemoryBytes;
  limits.max_cpu_seconds = kNamingSeconds;
  limits.max_wall_seconds = 2 * kNamingSeconds;
  Symbolizer symbolizer(paths, limits);
  const std::map<uint64_t, ResolvedAddress> kernel = NameKernel(code, paths, symbolizer);

  absl::flat_hash_set<int32_t> pids;
  for (uint32_t id = 1; id <= code.stacks.size(); ++id) {
    const StackRecord& stack = code.stacks[id].record;
    if (!stack.user.empty()) pids.insert(stack.tgid);
  }
  const auto images = code.map.ImagesOf(pids);
  SymbolWriter writer;
  for (const auto& [pid, versions] : images) {
    uint32_t version = 0;
    for (const TracedImage& image : versions) writer.AddImage(pid, version++, image.maps);
  }
  std::vector<const TracedImage*> image_of(code.stacks.size() + size_t{1});
  std::map<const TracedImage*, std::set<uint64_t>> wanted;
  for (uint32_t id = 1; id <= code.stacks.size(); ++id) {
    const KernelStacks::Stack& stack = code.stacks[id];
    const auto versions = images.find(stack.record.tgid);
    if (stack.record.user.empty() || versions == images.end()) continue;
    image_of[id] = ImageOf(versions->second, stack);
    for (size_t i = 0; i < stack.record.user.size(); ++i)
      wanted[image_of[id]].insert(CodeOf(stack.record.user, i));
  }
  std::vector<std::vector<uint64_t>> lists;
  std::vector<ProcessAddresses> questions;
  lists.reserve(wanted.size());  // the questions point into it
  questions.reserve(wanted.size());
  for (const auto& [image, addresses] : wanted)
    questions.push_back({&image->maps, lists.emplace_back(addresses.begin(), addresses.end())});
  auto answers = symbolizer.Resolve(questions);
  std::map<const TracedImage*, std::map<uint64_t, ResolvedAddress>> user;
  size_t next = 0;
  for (const auto& [image, addresses] : wanted) {
    std::vector<ResolvedAddress>& named = answers[next++];
    size_t i = 0;
    for (const uint64_t address : addresses) user[image].emplace(address, std::move(named[i++]));
  }

  for (uint32_t id = 1; id <= code.stacks.size(); ++id) {
    const StackRecord& stack = code.stacks[id].record;
    pb::StackFrames& frames = writer.AddStack(id);
    for (size_t i = 0; i < stack.kernel.size(); ++i)
      writer.AddFrames(kernel.at(CodeOf(stack.kernel, i)), *frames.mutable_kernel());
    for (size_t i = 0; i < stack.user.size(); ++i) {
      const uint64_t address = CodeOf(stack.user, i);
      writer.AddFrames(image_of[id] == nullptr ? ResolvedAddress{.module_offset = address}
                                               : user.at(image_of[id]).at(address),
                       *frames.mutable_user());
    }
    if (image_of[id] != nullptr)
      frames.set_spins(user.at(image_of[id]).at(CodeOf(stack.user, 0)).spins);
  }
  writer.AddCounters(symbolizer.counters());
  writer.AddNotes(symbolizer.notes());
  return writer.Take();
}

}  // namespace gordian
