// SPDX-License-Identifier: Apache-2.0
// Any bytes as the foreign text and files that this process itself reads; the first byte chooses
// which. Files for libelf and libdw are left to a child process and not tried here.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "symbols/disk_cache.h"
#include "symbols/elf_identity.h"
#include "symbols/function_list.h"
#include "symbols/function_name.h"
#include "symbols/kernel_symbols.h"
#include "symbols/maps_parser.h"
#include "symbols/module_child.h"
#include "symbols/module_reader.h"
#include "symbols/perf_map.h"
#include "symbols/unwind_table.h"
#include "words/function_names.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void TryMaps(std::string_view text) {
  const ParsedMaps parsed = ParseMaps(text, 16);
  Require(parsed.mappings.size() <= 16);
  uint64_t last_end = 0;
  for (const Mapping& mapping : parsed.mappings) {
    Require(mapping.start >= last_end && mapping.end > mapping.start);
    last_end = mapping.end;
  }
}

void TryPerfMap(std::string_view text) {
  const PerfMap map = PerfMap::Parse(std::string(text));
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x1000}, uint64_t{0x1010}, UINT64_MAX}) {
    Frame frame;
    if (map.Find(address, frame)) Require(frame.function.size() <= kMaxPerfMapNameBytes);
  }
}

void TryKallsyms(std::string_view text) {
  const KernelSymbols symbols = KernelSymbols::Parse(std::string(text));
  for (const uint64_t address : {uint64_t{0}, uint64_t{0xffffffff81000010}, UINT64_MAX}) {
    ResolvedAddress resolved;
    if (symbols.Find(address, resolved)) Require(resolved.frames.size() == 1);
  }
}

void TryElf(std::string_view bytes) {
  const int file = ::memfd_create("elf", MFD_CLOEXEC);
  Require(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const absl::StatusOr<ElfIdentity> identity = ReadElfIdentity(file);
  if (identity.ok()) Require(identity->build_id.size() <= 64 && identity->segments.size() <= 64);
  Require(ReadDebugLinks(file).shared_build_id.size() <= 64);
  ::close(file);
}

void TryReply(std::string_view bytes) {
  std::vector<std::vector<Frame>> frames(4);
  SymbolCounters counters;
  TakeReply(bytes, 3, frames, counters);
  for (const std::vector<Frame>& one : frames) Require(one.size() <= 3);
}

void TryUnwindRows(std::string_view bytes) {
  UnwindTable table;
  TakeUnwindRows(bytes.substr(0, bytes.size() / 2), 64, table.rows);
  TakeUnwindRows(bytes.substr(bytes.size() / 2), 64, table.rows);
  Require(table.rows.size() <= 64);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    Require(i == 0 || table.rows[i - 1].address < table.rows[i].address);
    Require(static_cast<uint8_t>(table.rows[i].rule) < kUnwindRules);
    Require(FindUnwindRow(table, table.rows[i].address) == &table.rows[i]);
  }
}

// As the cache keeps it: the entry around it first, then each kind of content.
void TryCacheEntry(std::string_view bytes) {
  const auto content = UnpackCacheEntry(bytes, "key", 1 << 16);
  if (content) Require(content->size() <= 1 << 16);
}

void TryCachedContents(std::string_view bytes) {
  if (const auto table = UnpackUnwindTable(bytes, 64)) Require(table->rows.size() <= 64);
  if (const auto answers = UnpackAnswers(bytes, 3))
    for (const auto& [offset, place] : *answers) Require(place.frames.size() <= 3);
  if (const auto list = FunctionList::Parse(bytes))
    for (const uint64_t address : {uint64_t{0}, uint64_t{0x1010}, UINT64_MAX})
      Require(list->NameAt(address).size() <= bytes.size());
}

void TryName(std::string_view text) {
  const std::string name(text);
  ShortFunctionName(name);
  Require(ReadableFunctionName(name.c_str()).size() <= 4096);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr void (*kTrials[])(std::string_view) = {
      gordian::TryMaps,       gordian::TryPerfMap,    gordian::TryKallsyms,
      gordian::TryElf,        gordian::TryReply,      gordian::TryName,
      gordian::TryUnwindRows, gordian::TryCacheEntry, gordian::TryCachedContents,
  };
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  kTrials[data[0] % std::size(kTrials)](input.substr(1));
  return 0;
}
