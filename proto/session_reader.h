// Reads a session's folder, trusting nothing in it.
//
// Damage never stops a read: a torn or corrupt block is skipped and counted (see `damage()`), the next one is searched.
// Sizes are checked before memory is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/event_block.h"
#include "proto/session.pb.h"
#include "proto/trace.pb.h"

namespace gordian {

// What the reader had to pass over.
struct ReadDamage {
  uint64_t corrupt_blocks = 0;  // a header or payload that does not check
  uint64_t torn_tails = 0;      // a file that ends inside a block
  uint64_t skipped_bytes = 0;
  uint64_t unreadable_files = 0;
  uint64_t unknown_blocks = 0;  // of a kind newer than this reader
  ReadDamage& operator+=(const ReadDamage& other);
};

// What a block's header says, without decoding it.
struct BlockInfo {
  uint64_t sequence = 0;
  uint64_t first_time_ns = 0;
  uint64_t last_time_ns = 0;
  uint32_t events = 0;
  uint64_t lost = 0;
  uint64_t bytes = 0;  // header and payload, in the file
};

// The blocks of one stream in the order they were written, over all its segment files.
class EventStream {
 public:
  virtual ~EventStream() = default;
  virtual uint16_t cpu() const = 0;
  // The headers of all readable blocks: cheap, one pass over the headers at Open.
  virtual const std::vector<BlockInfo>& blocks() const = 0;
  // Decodes block `index` into `out` (whose memory is reused). Thread-safe for different `out`.
  // DataLoss if the payload does not check: count it and go on with the next.
  virtual absl::Status Read(size_t index, EventBlock& out) const = 0;
};

class SessionReader {
 public:
  // NotFound or InvalidArgument, with a line for the user, if the folder is no session at all.
  static absl::StatusOr<std::unique_ptr<SessionReader>> Open(const std::string& directory);
  virtual ~SessionReader() = default;

  virtual const pb::Session& session() const = 0;
  // One per CPU, in order of CPU; kNoCpu last if there is one.
  virtual const std::vector<std::unique_ptr<EventStream>>& cpus() const = 0;
  virtual const EventStream* tasks() const = 0;  // null if there is none
  virtual absl::StatusOr<std::vector<pb::ResourceBlock>> ReadResources() = 0;

  virtual uint64_t bytes_on_disk() const = 0;
  // Damage found so far: by Open, and by every failed Read that was reported through CountDamage.
  virtual const ReadDamage& damage() const = 0;
  virtual void CountCorruptBlock(uint64_t bytes) = 0;
};

// All events of a session in time order (merged over its streams, tasks.trace included).
// Usage: while (cursor.Next()) use(cursor.event(), cursor.block());
class MergedEvents {
 public:
  explicit MergedEvents(SessionReader& session);
  ~MergedEvents();
  MergedEvents(const MergedEvents&) = delete;
  MergedEvents& operator=(const MergedEvents&) = delete;

  bool Next();
  const TraceEvent& event() const;
  const EventBlock& block() const;  // whose side tables the event refers to; valid until the next Next()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gordian
