// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/perf_sample.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <bit>

namespace gordian {
namespace {

bool SkipRead(ByteCursor& bytes, uint64_t format) {
  uint64_t per_value = 8;
  if ((format & PERF_FORMAT_ID) != 0) per_value += 8;
  if ((format & 16) != 0) per_value += 8;  // PERF_FORMAT_LOST
  uint64_t values = 1;
  if ((format & PERF_FORMAT_GROUP) != 0 && !bytes.Take(values)) return false;
  if (values > bytes.left()) return false;
  if ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0 && !bytes.Skip(8)) return false;
  if ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0 && !bytes.Skip(8)) return false;
  return bytes.Skip(values * per_value);
}

// Clocks, and cycles that perf takes at a frequency. Other events do not stand for time.
uint32_t SampleHz(uint32_t type, uint64_t config, uint64_t period, bool is_frequency) {
  constexpr uint64_t kNsOfSecond = 1'000'000'000;
  constexpr uint64_t kMostHz = 1'000'000;
  const bool clock = type == PERF_TYPE_SOFTWARE &&
                     (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
  const bool cycles = type == PERF_TYPE_HARDWARE && config == PERF_COUNT_HW_CPU_CYCLES;
  if (period == 0 || (!clock && !(cycles && is_frequency))) return 0;
  return static_cast<uint32_t>(std::min(is_frequency ? period : kNsOfSecond / period, kMostHz));
}

}  // namespace

PerfAttribute PerfAttribute::Parse(ByteCursor bytes) {
  constexpr uint64_t kFrequencyBit = uint64_t{1} << 10;
  constexpr uint64_t kOfStacks =
      PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN;
  PerfAttribute attribute;
  uint32_t type = 0;
  uint64_t config = 0;
  uint64_t period = 0;
  uint64_t flags = 0;
  bytes.Take(type);
  bytes.Skip(4);  // its size
  bytes.Take(config);
  bytes.Take(period);
  bytes.Take(attribute.sample_type);
  bytes.Take(attribute.read_format);
  bytes.Take(flags);
  attribute.tracepoint = type == PERF_TYPE_TRACEPOINT;
  attribute.each = period == 1 && (flags & kFrequencyBit) == 0;
  if ((attribute.sample_type & kOfStacks) == kOfStacks)
    attribute.sample_hz = SampleHz(type, config, period, (flags & kFrequencyBit) != 0);
  return attribute;
}

bool PerfSample::Parse(ByteCursor bytes, const PerfAttribute& attribute) {
  const uint64_t type = attribute.sample_type;
  const auto skip = [&](uint64_t field) { return (type & field) == 0 || bytes.Skip(8); };
  if (!skip(PERF_SAMPLE_IDENTIFIER) || !skip(PERF_SAMPLE_IP)) return false;
  if ((type & PERF_SAMPLE_TID) != 0 && (!bytes.Take(pid) || !bytes.Take(tid))) return false;
  if ((type & PERF_SAMPLE_TIME) != 0 && !bytes.Take(time_ns)) return false;
  if (!skip(PERF_SAMPLE_ADDR) || !skip(PERF_SAMPLE_ID) || !skip(PERF_SAMPLE_STREAM_ID))
    return false;
  if ((type & PERF_SAMPLE_CPU) != 0 && (!bytes.Take(cpu) || !bytes.Skip(4))) return false;
  if (!skip(PERF_SAMPLE_PERIOD)) return false;
  if ((type & PERF_SAMPLE_READ) != 0 && !SkipRead(bytes, attribute.read_format)) return false;
  uint64_t frames = 0;
  if ((type & PERF_SAMPLE_CALLCHAIN) != 0 &&
      (!bytes.Take(frames) || frames > bytes.left() / 8 || !bytes.TakeBytes(frames * 8, chain)))
    return false;
  if ((type & PERF_SAMPLE_RAW) == 0) return true;
  uint32_t raw_bytes = 0;
  return bytes.Take(raw_bytes) && bytes.TakeBytes(raw_bytes, raw);
}

void SplitChain(std::span<const uint8_t> chain, std::vector<uint64_t>& kernel,
                std::vector<uint64_t>& user) {
  kernel.clear();
  user.clear();
  std::vector<uint64_t>* part = nullptr;
  ByteCursor bytes(chain);
  for (uint64_t address = 0; bytes.Take(address);) {
    if (address < static_cast<uint64_t>(PERF_CONTEXT_MAX)) {
      if (part != nullptr) part->push_back(address);
    } else if (address == static_cast<uint64_t>(PERF_CONTEXT_KERNEL)) {
      part = &kernel;
    } else {
      part = address == static_cast<uint64_t>(PERF_CONTEXT_USER) ? &user : nullptr;
    }
  }
}

uint64_t PerfTrailerBytes(uint64_t sample_type) {
  constexpr uint64_t kInTrailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
  return 8 * static_cast<uint64_t>(std::popcount(sample_type & kInTrailer));
}

}  // namespace gordian
