// Writes one session's folder: session.pb, cpu-NNN.trace, tasks.trace, resources.trace.
//
// Each stream is a row of segment files (cpu-000.trace, cpu-000.s000001.trace, …); without a size for the flight
// recorder there is only the first. With one, the oldest segments of all streams give way together, so that the
// streams keep covering the same span of time. What is appended has been handed to the kernel (write(2)) when the
// call returns: killing the process loses nothing that was appended.
//
// Not thread-safe: one owner.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/event_block.h"
#include "proto/session.pb.h"
#include "proto/trace.pb.h"

namespace gordian {

struct SessionWriterOptions {
  uint64_t ring_bytes = 0;  // flight recorder: keep about the newest this many bytes; 0 keeps everything
  uint64_t max_bytes = 0;   // appending past this fails with ResourceExhausted; 0 is no limit
};

// Live identity for the head of a new segment of tasks.trace: fills the block with a kAlive record per thread and a
// record per flow in use.
using IdentitySnapshot = std::function<void(EventBlock&)>;

class SessionWriter {
 public:
  // Makes `directory`; it may exist if it is empty. AlreadyExists if something is in it: nothing is overwritten.
  static absl::StatusOr<std::unique_ptr<SessionWriter>> Create(const std::string& directory,
                                                               SessionWriterOptions options);
  virtual ~SessionWriter() = default;

  // Called whenever tasks.trace begins a new segment, the first included.
  virtual void set_identity_snapshot(IdentitySnapshot snapshot) = 0;

  // Appends to the CPU's stream and leaves `block` cleared. Sorts small inversions of time. An empty block is nothing.
  // A failed write (ResourceExhausted for a full disk or max_bytes) leaves the stream readable up to the append before.
  virtual absl::Status AppendEvents(EventBlock& block) = 0;
  // Appends to tasks.trace: what is known of threads from elsewhere than the events of a CPU.
  virtual absl::Status AppendTasks(EventBlock& block) = 0;
  virtual absl::Status AppendResources(const pb::ResourceBlock& block) = 0;

  // Replaces session.pb in one step (written aside, then renamed).
  virtual absl::Status WriteSession(const pb::Session& session) = 0;

  // Makes `directory` a session of what is in this one now; `session` is its session.pb. Hard links closed segments
  // where it can, copies the rest. The identity of all live threads is written with it.
  virtual absl::Status Snapshot(const std::string& directory, const pb::Session& session) = 0;

  virtual uint64_t bytes_on_disk() const = 0;
  virtual uint64_t events_dropped_by_ring() const = 0;  // gave way to newer ones: no loss, but told
  virtual const std::string& directory() const = 0;
};

}  // namespace gordian
