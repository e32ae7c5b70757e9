// SPDX-License-Identifier: Apache-2.0
// The text of ftrace, one event a line, as the kernel's file `trace`, `trace-cmd report` and
// Android's systrace (also inside its HTML) write it:
//
//   bash-1234  ( 1200) [001] d..2.  1234.567890: sched_switch: prev_comm=bash prev_pid=1234 …
//
// The process in parentheses and the flags may be missing.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "import/kernel/kernel_event.h"

namespace gordian {

using KernelEventSink = std::function<absl::Status(const KernelEvent&)>;

class FtraceText {
 public:
  // `named_irq` is told what an interrupt's number stands for.
  FtraceText(KernelNames& names, KernelEventSink sink,
             std::function<void(uint32_t, std::string_view)> named_irq)
      : names_(names), sink_(std::move(sink)), named_irq_(std::move(named_irq)) {}

  // InvalidArgument, with the reason, for an event whose fields are wrong; any other error is the
  // sink's. Lines that are no events are counted.
  absl::Status TakeLine(std::string_view line);
  // Tells what was missing behind the last event.
  absl::Status Finish();

  uint64_t unknown_lines() const { return unknown_lines_; }
  uint64_t unknown_events() const { return unknown_events_; }

 private:
  struct EventLine;
  enum class Page : uint8_t { kUndecided, kNone, kOutsideOfTrace, kInTrace };

  bool IsInPage(std::string_view line);
  bool ParseLine(std::string_view line, EventLine& parsed);
  bool ParseTime(std::string_view text, uint64_t& time_ns);
  bool NoteLoss(std::string_view line);
  absl::Status TellProcess(const EventLine& line);
  absl::Status Give(KernelEvent& event);

  absl::Status TakeSwitch(std::string_view text, KernelEvent& event);
  absl::Status TakeWake(std::string_view text, KernelEvent& event);
  absl::Status TakeTask(std::string_view name, std::string_view text, KernelEvent& event);
  absl::Status TakeInterrupt(std::string_view name, std::string_view text, KernelEvent& event);
  absl::Status TakeBlock(std::string_view text, KernelEvent& event);

  KernelNames& names_;
  KernelEventSink sink_;
  std::function<void(uint32_t, std::string_view)> named_irq_;
  Page page_ = Page::kUndecided;
  std::vector<KernelEvent> losses_;  // told by lines without a time: before the next event
  absl::flat_hash_map<int32_t, int32_t> told_tgids_;
  uint64_t told_time_ns_ = 0;  // as the last event's line has it
  uint64_t time_ns_ = 0;       // as it was given
  uint64_t unknown_lines_ = 0;
  uint64_t unknown_events_ = 0;
};

}  // namespace gordian
