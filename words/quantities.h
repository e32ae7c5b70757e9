// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them, each kind in one way everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gordian {

std::string FormatCount(uint64_t count);  // 1,234,567
// 1 thread, 16 threads; `thing` is a noun that takes an s.
std::string FormatCount(uint64_t count, std::string_view thing);

std::string FormatSize(uint64_t bytes);  // 512 B, 1.5 KiB, 64 MiB

// 850 ns, 4.6 ms, 12.3 s, 5 min 3 s, 2 h 5 min, 3 d 4 h
std::string FormatDuration(uint64_t span_ns);
std::string SecondsText(double seconds);  // the same

// Of a share of the whole: 80 %, 1 %, 0.3 %, under 0.1 %.
std::string PercentText(double share);
// The same for a share that is surprisingly small: only 3 %; but 0 % and under 0.1 % speak for
// themselves.
std::string OnlyPercentText(double share);
// The same for a narrow column: <0.1 %.
std::string NarrowPercentText(double share);
// Of a throughput: 2.0 times, 15 times, more than 100 times.
std::string GainText(double gain);
// Of events a second: 4,030 or 7.9.
std::string RateText(double per_second);

// RFC 3339 in UTC, to the second: 2026-11-21T08:30:00Z.
std::string FormatRealtime(int64_t realtime_ns);

}  // namespace gordian
