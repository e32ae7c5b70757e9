// SPDX-License-Identifier: Apache-2.0
// A recording as windows of time, in order, in little memory. Each window brings what has become
// settled: what no later record changes. All windows together are the timeline, to the nanosecond.
//
//   auto stream = TimelineStream::Open(session, {.window_ns = kNsPerSecond});
//   while (const SettledWindow* window = *(*stream)->Next())
//     for (const SettledSlice& slice : window->slices) …
//
// A wait that goes on when a window ends is not settled: its end and its waker are not known, and
// it may even be no wait. So no window waits for it. Each thread is settled up to a time of its
// own; its slice of a window brings the segments from there on that have become settled, however
// long ago they began. What is not settled is there to look at, too (Unsettled): it is how each
// thread seems to go on. docs/design-stream.md tells why.
//
// A stretch of time is exact when all threads are settled beyond it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"
#include "schema/session.pb.h"
#include "trace/session_reader.h"
#include "trace/wait_object.h"

namespace gordian {

struct StreamOptions {
  // The length of windows, of recorded time, from the recording's start on; windows in which no
  // thread does anything are a part of the next. 0: of about events_per_window events (0: some
  // 100,000).
  uint64_t window_ns = 0;
  size_t events_per_window = 0;
  // A thread's latest wait may be joined to its next sleep (a false wakeup), so all that it does in
  // between is unsettled; so is a spin until it ends. When a thread's segments since then are more
  // than this, they settle as they are: such a wait is not joined any more, such a spin has no
  // waker. forgotten() tells how often. Whole timelines never forget.
  size_t most_unsettled = 1 << 16;
  int threads = 0;                  // 0: as many as there are CPUs. Results do not depend on it
  std::vector<pb::Target> targets;  // besides the recording's own
};

// What has become settled of one thread.
struct SettledSlice {
  EntityId thread = kNobody;
  // From where the thread's slice before ended; the segments add up to [from_ns, until_ns).
  uint64_t from_ns = 0;
  uint64_t until_ns = 0;
  std::span<const ThreadSegment> segments;  // the last lasts until until_ns
  std::array<uint64_t, 5> time_ns{};        // by SegmentKind; their sum is until_ns − from_ns
  bool begins = false;                      // its first slice
  bool ends = false;                        // its last: until_ns is its end
};

// What is not settled of a thread that has not ended. The last segment goes on.
struct UnsettledThread {
  EntityId thread = kNobody;
  std::span<const ThreadSegment> segments;  // as they seem to be; the first starts where the
                                            // thread's slice before ended
  // If the recording ended with the window: the last of them, and the thread's end.
  ThreadSegment last;
  uint64_t end_ns = 0;
};

// Valid until the next call of Next. Times are recorded times.
struct SettledWindow {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  // In order of threads; none of a thread of which nothing new is settled.
  std::vector<SettledSlice> slices;
  // From [from_ns, to_ns), in order of time.
  std::vector<BlockRecord> block_records;
  std::vector<PacketRecord> packets;
  std::vector<PacketWake> packet_wakes;
  std::vector<LocalMessage> local_messages;
  std::vector<StackSample> stack_samples;
};

// What a timeline tells of a thread besides, as it is known now.
struct ThreadFacts {
  EntityId creator = kNobody;
  uint64_t exit_ns = 0;  // 0: not known
  uint32_t contradictions = 0;
  std::span<const Program> programs;
};

class TimelineStream {
 public:
  // A recording that does not grow. It is decoded twice: first for what must be known before
  // (lives, losses, locks), then window by window. So entities() are those of its timeline from
  // the beginning. The statuses of Timeline::Load. `session` lives as long as the stream.
  static absl::StatusOr<std::unique_ptr<TimelineStream>> Open(SessionReader& session,
                                                              const StreamOptions& options);
  // A recording that may still grow, as it grows: windows up to its watermark
  // (docs/design-watermark.md). Windows of no length given last a second; never by events.
  // Differences from Open: entities() grow, in order of appearance, and are named by what was told
  // until the end of the window at hand. What a flight recorder deleted unread are losses.
  // The statuses of SessionFollower::Open.
  static absl::StatusOr<std::unique_ptr<TimelineStream>> Follow(const std::string& directory,
                                                                const StreamOptions& options);
  virtual ~TimelineStream() = default;

  // The next window. Null behind the last (see ended), and as long as a recording that grows has
  // not grown enough. An error if files can no longer be read that could be read before.
  virtual absl::StatusOr<const SettledWindow*> Next() = 0;
  // Whether the last window was given.
  virtual bool ended() const = 0;
  // Of a recording that may still grow: nobody writes it any more, as the caller knows or has
  // decided. What is there is all.
  virtual void EndHere() {}

  // Of all threads that are not settled until the end of the window at hand, in order of ids. Costs
  // a look at each thread. Valid until the next call of Next.
  virtual std::vector<UnsettledThread> Unsettled() const = 0;

  // Of Open: threads in order of tid and birth, then pseudo-threads. A thread's begin is known with
  // its first slice, its end with its last; its times are those of its slices so far.
  virtual const std::vector<Entity>& entities() const = 0;
  virtual ThreadFacts facts(EntityId thread) const = 0;
  virtual uint64_t start_ns() const = 0;
  virtual uint64_t end_ns() const = 0;  // UINT64_MAX as long as it is not known
  virtual const Pauses& pauses() const = 0;
  virtual const absl::flat_hash_map<uint32_t, WaitObjectRecord>& wait_objects() const = 0;
  virtual const FlowTable& flows() const = 0;
  virtual const pb::Session& session() const = 0;
  virtual uint32_t cpus() const = 0;
  // Of the blocks that were decoded so far: their events, and the records that they say were lost.
  virtual uint64_t events() const = 0;
  virtual uint64_t lost() const = 0;
  // What made the windows so far imperfect; only those above zero.
  virtual std::vector<NamedCount> counters() const = 0;
  // How many waits and spins were let go because too much was unsettled.
  virtual uint64_t forgotten() const = 0;
  // Of a recording that may still grow: how often something that was told late would have changed
  // what was settled, or might have: a birth, a loss, a CPU's hidden switch. As long as this is 0,
  // the windows are those of Open, but for its ids.
  virtual uint64_t told_late() const { return 0; }
  // … blocks that were deleted, or damaged, before they were read; their time is lossy.
  virtual uint64_t lost_blocks() const { return 0; }
};

}  // namespace gordian
