// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its kin, taken by hand in one place while a recording runs.
//
// Every thread started meanwhile inherits the blocked signals. A reader of our output that goes
// away (SIGPIPE) must not end a recording; SIGHUP does not, either, below nohup.
#pragma once

#include <signal.h>

#include <chrono>

#include "base/file_descriptor.h"

namespace gordian {

// How urgently the user wants an end. Each further Ctrl-C raises it by one.
enum class Urgency { kNone, kEnd, kLeaveNames, kAtOnce };

class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();  // signals that came and were not taken are forgotten
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  // For children.
  const sigset_t& mask_before() const { return before_; }

  // Waits for the next signal (of children, too), until `other_fd` (-1: none) can be read, or for
  // that time. Returns false only if it was the time.
  bool Wait(std::chrono::milliseconds longest, int other_fd);

  Urgency urgency() const { return urgency_; }
  // The terminal sent it, so every program there has got it.
  bool from_terminal() const { return from_terminal_; }

  // Takes one signal. Only Ctrl-C (SIGINT) makes it more urgent than kEnd. timeout(1) sends its
  // signal twice: one that no terminal sends counts again only after a second.
  void Take(int signal, bool from_terminal, std::chrono::steady_clock::time_point now);

 private:
  sigset_t signals_{};
  sigset_t before_{};
  FileDescriptor fd_;
  Urgency urgency_ = Urgency::kNone;
  bool from_terminal_ = false;
  std::chrono::steady_clock::time_point counted_;
};

}  // namespace gordian
