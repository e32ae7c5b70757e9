// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/time_order.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gordian {
namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
constexpr size_t kFewEntries = 64;

}  // namespace

void SortByTime(std::vector<TimedIndex>& entries, std::vector<TimedIndex>& scratch) {
  const auto earlier = [](const TimedIndex& a, const TimedIndex& b) {
    return a.time_ns < b.time_ns;
  };
  if (entries.size() < kFewEntries) {
    std::stable_sort(entries.begin(), entries.end(), earlier);
    return;
  }
  const auto [least, greatest] = std::minmax_element(entries.begin(), entries.end(), earlier);
  const uint64_t base_ns = least->time_ns;
  const int bits = std::bit_width(greatest->time_ns - base_ns);
  scratch.resize(entries.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    std::array<uint32_t, kDigits> places{};
    const auto digit = [base_ns, shift](const TimedIndex& entry) {
      return (entry.time_ns - base_ns) >> shift & (kDigits - 1);
    };
    for (const TimedIndex& entry : entries) ++places[digit(entry)];
    uint32_t place = 0;
    for (uint32_t& count : places) {
      const uint32_t next = place + count;
      count = place;
      place = next;
    }
    for (const TimedIndex& entry : entries) scratch[places[digit(entry)]++] = entry;
    entries.swap(scratch);
  }
}

}  // namespace gordian
