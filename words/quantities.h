// How sizes, spans of time and counts are written for people.
#pragma once

#include <cstdint>
#include <string>

namespace gordian {

std::string FormatSize(uint64_t bytes);  // 512 B, 1.5 KiB, 64 MiB
std::string FormatDuration(
    uint64_t span_ns);                    // 850 ns, 4.6 ms, 12.3 s, 5 min 3 s, 2 h 5 min, 3 d 4 h
std::string FormatCount(uint64_t count);  // 1,234,567
// RFC 3339 in UTC, to the second: 2026-11-21T08:30:00Z.
std::string FormatRealtime(int64_t realtime_ns);

}  // namespace gordian
