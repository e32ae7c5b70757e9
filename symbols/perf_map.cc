// SPDX-License-Identifier: Apache-2.0
#include "symbols/perf_map.h"

#include <algorithm>
#include <map>
#include <utility>

#include "symbols/text_scan.h"

namespace gordian {
namespace {

// Python names its frames "py::function:file"; a function's name holds no colon.
void SplitPythonName(std::string_view name, Frame& frame) {
  constexpr std::string_view kPython = "py::";
  const size_t colon = name.find(':', kPython.size());
  if (!name.starts_with(kPython) || colon == std::string_view::npos) {
    frame.function = name;
    return;
  }
  frame.function = name.substr(kPython.size(), colon - kPython.size());
  frame.file = name.substr(colon + 1);
}

// Some compilers write numbers with 0x, against the format's description.
bool TakeHex(std::string_view& text, uint64_t& value) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return TakeNumber(text, 16, value);
}

}  // namespace

PerfMap PerfMap::Parse(std::string text) {
  PerfMap map;
  map.text_ = std::move(text);
  if (map.text_.size() > kMaxPerfMapBytes) {
    map.text_.resize(kMaxPerfMapBytes);
    ++map.left_out_;
  }
  std::vector<Piece> lines;
  std::string_view rest = map.text_;
  while (!rest.empty()) {
    std::string_view line = TakeLine(rest);
    if (line.empty()) continue;
    Piece piece;
    uint64_t size_bytes = 0;
    bool good = TakeHex(line, piece.start) && TakeCharacter(line, ' ') &&
                TakeHex(line, size_bytes) && TakeCharacter(line, ' ');
    SkipSpaces(line);
    good = good && size_bytes != 0 && size_bytes <= UINT64_MAX - piece.start && !line.empty();
    if (!good) {
      ++map.malformed_lines_;
    } else if (lines.size() == kMaxPerfMapEntries) {
      ++map.left_out_;
    } else {
      piece.end = piece.start + size_bytes;
      piece.name_at = static_cast<uint32_t>(line.data() - map.text_.data());
      piece.name_bytes = static_cast<uint32_t>(std::min(line.size(), kMaxPerfMapNameBytes));
      lines.push_back(piece);
    }
  }

  // Oldest first, each cut out of the older ones before it is put in: the last one stays whole. An
  // entry adds at most two pieces (itself, and the second half of one that it splits), and each
  // piece that it removes was added once: the work is linear in entries, times the map's depth.
  std::map<uint64_t, Piece> taken;  // by start
  for (const Piece& piece : lines) {
    auto at = taken.upper_bound(piece.start);
    if (at != taken.begin() && std::prev(at)->second.end > piece.start) --at;
    while (at != taken.end() && at->first < piece.end) {
      Piece old = at->second;
      at = taken.erase(at);
      if (old.end > piece.end) {
        Piece right = old;
        right.start = piece.end;
        at = taken.emplace_hint(at, right.start, right);
      }
      if (old.start < piece.start) {
        old.end = piece.start;
        taken.emplace_hint(at, old.start, old);
      }
    }
    taken.emplace(piece.start, piece);
  }
  map.pieces_.reserve(taken.size());
  for (const auto& [start, piece] : taken) map.pieces_.push_back(piece);
  return map;
}

bool PerfMap::Find(uint64_t address, Frame& frame) const {
  auto after = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                                [](uint64_t a, const Piece& piece) { return a < piece.start; });
  if (after == pieces_.begin()) return false;
  const Piece& piece = *std::prev(after);
  if (address >= piece.end) return false;
  SplitPythonName(std::string_view(text_).substr(piece.name_at, piece.name_bytes), frame);
  return true;
}

}  // namespace gordian
