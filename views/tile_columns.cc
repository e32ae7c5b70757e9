// SPDX-License-Identifier: Apache-2.0
#include "views/tile_columns.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr size_t kNotSnapped = SIZE_MAX;

// The window's border that is less than half a pixel away; or kNotSnapped.
size_t NearestWindow(std::span<const uint64_t> windows_ns, uint64_t time_ns, uint64_t pixel_ns) {
  const auto above = std::lower_bound(windows_ns.begin(), windows_ns.end(), time_ns);
  size_t nearest = kNotSnapped;
  uint64_t distance_ns = (pixel_ns + 1) / 2;  // less than that
  if (above != windows_ns.end() && *above - time_ns < distance_ns) {
    nearest = static_cast<size_t>(above - windows_ns.begin());
    distance_ns = *above - time_ns;
  }
  if (above != windows_ns.begin() && time_ns - *(above - 1) < distance_ns)
    nearest = static_cast<size_t>(above - windows_ns.begin()) - 1;
  return nearest;
}

}  // namespace

TileColumns::TileColumns(uint64_t from_ns, uint64_t to_ns, uint32_t pixels,
                         std::span<const uint64_t> windows_ns) {
  const auto length = static_cast<unsigned __int128>(to_ns - from_ns);
  const uint64_t pixel_ns = (to_ns - from_ns) / pixels;
  std::vector<size_t> window(pixels + 1, kNotSnapped);
  borders_.resize(pixels + 1);
  for (uint32_t i = 0; i <= pixels; ++i) {
    borders_[i] = from_ns + static_cast<uint64_t>(length * i / pixels);
    // The ends stay where they were asked for.
    const bool is_end = i == 0 || i == pixels;
    window[i] = NearestWindow(windows_ns, borders_[i], is_end ? 1 : pixel_ns);
    if (window[i] != kNotSnapped) borders_[i] = windows_ns[window[i]];
  }
  for (uint32_t i = 0; i < pixels; ++i) {
    const bool from_windows = window[i] != kNotSnapped && window[i + 1] != kNotSnapped;
    if (runs_.empty() || runs_.back().from_windows != from_windows)
      runs_.push_back({.first = i, .from_windows = from_windows, .first_window = window[i]});
    runs_.back().end = i + 1;
    runs_.back().end_window = window[i + 1];
  }
}

uint32_t TileColumns::ColumnOf(uint64_t time_ns) const {
  const auto above = std::upper_bound(borders_.begin(), borders_.end(), time_ns);
  const auto column = static_cast<uint32_t>(above - borders_.begin());
  return std::min(column == 0 ? 0 : column - 1, count() - 1);
}

}  // namespace gordian
