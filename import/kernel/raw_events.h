// SPDX-License-Identifier: Apache-2.0
// Binary records of tracepoints, as perf.data and trace.dat hold them, by the descriptions that the
// kernel gives of them (/sys/kernel/tracing/events/…/format), which these files hold as well.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "import/kernel/kernel_event.h"

namespace gordian {

class RawEvents {
 public:
  explicit RawEvents(KernelNames& names, std::function<void(uint32_t, std::string_view)> named_irq)
      : names_(names), named_irq_(std::move(named_irq)) {}

  // One event's description. InvalidArgument if it lacks a field that is needed.
  absl::Status Describe(std::string_view format);

  // Fills `event` but for its time and CPU; `known` is false for an event of no use.
  // InvalidArgument if the record is too short.
  absl::Status Decode(std::span<const uint8_t> record, KernelEvent& event, bool& known);

  uint64_t unknown() const { return unknown_; }

 private:
  enum class Role : uint8_t;
  struct Wanted;
  struct Place {
    uint32_t offset = 0;
    uint32_t size = 0;
    bool elsewhere = false;  // 16 bits of offset and 16 of length of a text in the record
    bool is_signed = false;
    Role role{};
  };
  struct Event {
    KernelEventKind kind = KernelEventKind::kSwitch;
    const Wanted* wanted = nullptr;
    std::vector<Place> places;
    uint32_t least_bytes = 0;
  };

  static const Wanted* FindWanted(std::string_view name);
  static bool ParsePlace(std::string_view line, std::string_view& name, Place& place);
  void Fill(std::span<const uint8_t> record, const Place& place, KernelEvent& event);

  KernelNames& names_;
  std::function<void(uint32_t, std::string_view)> named_irq_;
  absl::flat_hash_map<uint16_t, Event> events_;
  uint64_t unknown_ = 0;
};

}  // namespace gordian
