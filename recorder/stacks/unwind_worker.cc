// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "absl/hash/hash.h"
#include "recorder/stacks/unwind_tables.h"
#include "symbols/symbol_counters.h"
#include "symbols/unwind_table.h"

namespace gordian {
namespace {

constexpr int64_t kMostReadingNs = 60'000'000'000;
constexpr uint64_t kLargeBytes = 4 << 20;
constexpr int64_t kReadingAtOnceNs = 20'000'000;

// A 32-bit process has everything below 4 GiB, a 64-bit one at least its vDSO above.
bool Is64Bit(const ProcessMaps& maps) {
  return !maps.mappings.empty() && maps.mappings.back().end > (uint64_t{1} << 32);
}

static_assert(sizeof(UnwindRow) == sizeof(gd_unwind_row) &&
              offsetof(UnwindRow, cfa_words) == offsetof(gd_unwind_row, cfa_words) &&
              offsetof(UnwindRow, frame_words) == offsetof(gd_unwind_row, frame_words) &&
              offsetof(UnwindRow, rule) == offsetof(gd_unwind_row, rule));
static_assert(static_cast<int>(UnwindRule::kNone) == GD_UNWIND_NONE &&
              static_cast<int>(UnwindRule::kEnd) == GD_UNWIND_END &&
              static_cast<int>(UnwindRule::kStack) == GD_UNWIND_STACK &&
              static_cast<int>(UnwindRule::kFrame) == GD_UNWIND_FRAME &&
              static_cast<int>(UnwindRule::kPlt) == GD_UNWIND_PLT &&
              static_cast<int>(UnwindRule::kRealigned) == GD_UNWIND_REALIGNED &&
              static_cast<int>(UnwindRule::kSignal) == GD_UNWIND_SIGNAL);

std::vector<gd_unwind_row> ForKernel(std::span<const UnwindRow> rows) {
  std::vector<gd_unwind_row> copy(rows.size());
  if (!rows.empty()) std::memcpy(copy.data(), rows.data(), rows.size_bytes());
  return copy;
}

uint64_t HashOf(const std::vector<gd_unwind_range>& ranges) {
  return absl::HashOf(absl::string_view(reinterpret_cast<const char*>(ranges.data()),
                                        ranges.size() * sizeof(gd_unwind_range)));
}

}  // namespace

// Other code holds files open for names.
UnwindWorker::UnwindWorker(const UnwindMaps& maps, const SymbolPaths& paths,
                           ReadingAccount& account)
    : paths_(paths),
      account_(account),
      writer_(maps),
      capture_(paths, {.max_open_files = 0}),
      cache_(paths.cache) {
  if (!paths.cache.empty()) Count(counters_, "code_cache_refused", cache_.status().ok() ? 0 : 1);
  writer_.MakeChunk(0).IgnoreError();  // takes its time now instead of at the first look
}

bool UnwindWorker::Look(int32_t tgid, bool large_files) {
  const auto maps = capture_.Read(tgid);
  if (!maps.ok()) {
    Forget(tgid);
    return true;
  }
  if (!Is64Bit(*maps)) return true;
  uint64_t left_out = 0;
  bool finished = true;
  const int64_t until_ns = account_.spent_ns() + kReadingAtOnceNs;
  const std::vector<gd_unwind_range> ranges = LayOutRanges(
      *maps,
      [&](const Mapping& mapping) {
        return TableOf(*maps, mapping, until_ns, large_files, finished);
      },
      left_out);
  // Telling takes its time, too: first the known files, and then all of them.
  if (!finished && set_of_process_.contains(tgid)) return false;
  Count(counters_, "unwind_ranges_left_out", left_out);
  Tell(tgid, ranges);
  return finished;
}

void UnwindWorker::Tell(int32_t tgid, const std::vector<gd_unwind_range>& ranges) {
  const int set = Acquire(ranges);
  const auto known = set_of_process_.find(tgid);
  const bool told =
      set >= 0 && writer_
                      .SetProcess(tgid, {.set = static_cast<uint32_t>(set),
                                         .generation = sets_[static_cast<size_t>(set)].generation})
                      .ok();
  if (!told) {
    Count(counters_, "unwind_processes_left_out");
    if (set >= 0) Release(static_cast<uint32_t>(set));
    return;
  }
  if (known != set_of_process_.end()) Release(known->second);
  set_of_process_[tgid] = static_cast<uint32_t>(set);
}

void UnwindWorker::Forget(int32_t tgid) {
  const auto known = set_of_process_.find(tgid);
  if (known == set_of_process_.end()) return;
  writer_.RemoveProcess(tgid);
  Release(known->second);
  set_of_process_.erase(known);
}

const PlacedTable* UnwindWorker::TableOf(const ProcessMaps& maps, const Mapping& mapping,
                                         int64_t until_ns, bool large_files, bool& finished) {
  if (mapping.kind == MappingKind::kAnonymous || mapping.segments.empty()) return nullptr;
  const ModuleKey key(mapping.device, mapping.inode, mapping.build_id);
  if (const auto known = modules_.find(key); known != modules_.end()) return &known->second;
  const int64_t begin_ns = account_.spent_ns();
  const bool too_large = !large_files && mapping.end - mapping.start > kLargeBytes;
  if (reading_ns_ <= kMostReadingNs && (too_large || begin_ns >= until_ns)) {
    finished = false;
    return nullptr;
  }
  PlacedTable& placed = modules_[key];
  if (reading_ns_ > kMostReadingNs) {
    Count(counters_, "unwind_modules_left_out");
    return &placed;
  }
  placed = Place(ReadUnwindTable(paths_, maps, mapping, {.account = &account_}, counters_, cache_));
  reading_ns_ += account_.spent_ns() - begin_ns;
  return &placed;
}

PlacedTable UnwindWorker::Place(const UnwindTable& table) {
  PlacedTable placed{.base = table.base};
  if (table.rows.empty()) {
    Count(counters_, "unwind_modules_without_table");
    return placed;
  }
  const std::vector<gd_unwind_row> rows = ForKernel(table.rows);
  placed.pieces = space_.Take(table.rows);
  if (placed.pieces.empty()) Count(counters_, "unwind_modules_left_out");
  size_t from = 0;
  for (const RowPiece& piece : placed.pieces) {
    const auto of_piece = std::span(rows).subspan(from, piece.rows);
    if (!writer_.WriteRows(piece.chunk, piece.first_row, of_piece).ok()) {
      Count(counters_, "unwind_modules_left_out");
      placed.pieces.clear();  // its place stays unused
      break;
    }
    from += piece.rows;
  }
  return placed;
}

int UnwindWorker::Acquire(const std::vector<gd_unwind_range>& ranges) {
  const uint64_t hash = HashOf(ranges);
  const auto same = std::find_if(sets_.begin(), sets_.end(),
                                 [&](const Set& set) { return set.users > 0 && set.hash == hash; });
  if (same != sets_.end()) {
    ++same->users;
    return static_cast<int>(same - sets_.begin());
  }
  auto free = sets_.end();
  if (sets_.size() < GD_UNWIND_SETS) {
    free = sets_.insert(sets_.end(), Set{});
  } else {
    for (auto set = sets_.begin(); set != sets_.end(); ++set)
      if (set->users == 0 && (free == sets_.end() || set->generation < free->generation))
        free = set;
    if (free == sets_.end()) return -1;
  }
  const auto number = static_cast<uint32_t>(free - sets_.begin());
  if (!writer_.PutMappings(number, ++generation_, ranges).ok()) return -1;
  *free = {.hash = hash, .users = 1, .generation = generation_};
  return static_cast<int>(number);
}

// Its contents stay right for processes that were forked from its last user and name it, too, until
// others are put there. So the one that is free for longest is taken first.
void UnwindWorker::Release(uint32_t set) { --sets_[set].users; }

}  // namespace gordian
