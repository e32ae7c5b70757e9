// SPDX-License-Identifier: Apache-2.0
// The names behind a session's numbers: threads, disks, interfaces, interrupts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "trace/session_reader.h"
#include "trace/trace_event.h"

namespace gordian {

class SessionNames {
 public:
  // Reads the session's tables and tasks.trace, so that a thread has its name from the first event
  // on, although the recorder may have looked it up a little later.
  explicit SessionNames(SessionReader& session);

  // Takes a record at this point of the trace: a tid's name is the newest one.
  void Learn(const TaskRecord& task);

  // Empty for a thread without a record; "idle" for 0.
  std::string_view Comm(int32_t tid) const;
  // ping/1234, ?/1234 if it has no name, idle.
  std::string Thread(int32_t tid) const;
  std::string Disk(uint32_t device) const;      // vda, or 254:0
  std::string Interface(uint32_t index) const;  // eth0, or interface 2
  std::string_view Irq(uint32_t number) const;  // empty if not known

 private:
  absl::flat_hash_map<int32_t, std::string> comms_;
  absl::flat_hash_map<uint32_t, std::string> disks_;
  absl::flat_hash_map<uint32_t, std::string> interfaces_;
  absl::flat_hash_map<uint32_t, std::string> irqs_;
};

}  // namespace gordian
