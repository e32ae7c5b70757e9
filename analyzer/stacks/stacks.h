// SPDX-License-Identifier: Apache-2.0
// Where in their code threads wait, wake and run: stack samples, laid on the edges of the graph.
//
//   timeline's samples -> waits they stand for -> sums by edge and stack -> names -> what to show
//
// Estimates. Each wait of a thread was sampled by chance, with a probability of 2^-weight_log2, so
// a sample counts its wait's length 2^weight_log2 times. Then the sum over an edge's waiter stacks
// estimates the edge's own time without bias. So does the sum over its waker stacks (if the waker
// is a thread). Only an edge's own waits count, not the weight that the cascade hands on.
//
// Which wait a sample stands for is exact (see StackSample): the one that begins (for a waker:
// ends) at its time. For short-lived threads drawn together, a wait of the virtual thread begins
// with the wait of the last member that stops, and has that one's stack.
//
// Memory: 24 bytes a sample, held by the timeline, and a row for each different stack and thing
// waited for of an edge.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"
#include "schema/symbols.pb.h"

namespace gordian {

enum class StackSide : uint8_t {
  kWaiter,   // where `from` began to wait for `to`
  kWaker,    // where `to` ended a wait of `from`
  kRunning,  // where `from` ran; `to` is `from`
};

struct StackSum {
  uint32_t from = 0;  // vertices
  uint32_t to = 0;
  StackSide side = StackSide::kWaiter;
  uint32_t stack_id = 0;
  uint64_t samples = 0;
  double estimate_ns = 0;
  uint32_t object_id = 0;  // kWaiter: what for; 0: not known
};

struct StackSumOptions {
  uint64_t from_ns = 0;  // only samples within [from_ns, to_ns) count
  uint64_t to_ns = 0;
  int threads = 0;
};

class StackSums {
 public:
  StackSums() = default;
  // `vertex_of_entity` tells which vertex an entity of `waits` belongs to. The result does not
  // depend on the number of threads.
  StackSums(const Timeline& timeline, const Waits& waits,
            std::span<const uint32_t> vertex_of_entity, const StackSumOptions& options);

  // In order of (from, to, side), heaviest first.
  std::span<const StackSum> all() const { return sums_; }
  std::span<const StackSum> Of(uint32_t from, uint32_t to, StackSide side) const;
  // Samples of waits and wakes, within the range, without a wait that begins or ends with them.
  uint64_t samples_without_wait() const { return samples_without_wait_; }

 private:
  std::vector<StackSum> sums_;
  uint64_t samples_without_wait_ = 0;
};

struct CodeFrame {
  std::string function;  // short: without template arguments and parameters; empty: no name
  std::string file;      // as the compiler was told; empty where not known
  uint32_t line = 0;     // 0: not known
  std::string module;    // /usr/bin/server, [kernel], [ext4]; empty: not known
  uint64_t module_offset = 0;
  bool kernel = false;
  bool inlined = false;
};

// "FileLog::Commit", or "server+0x1f3a" where no name is known, or "[unknown]".
std::string FrameName(const CodeFrame& frame);
// With its line: "FileLog::Commit (log.cc:88)".
std::string FrameNameAndLine(const CodeFrame& frame);

// Frames by index, innermost first; at most kMostPathFrames, inlined functions included.
inline constexpr size_t kMostPathFrames = 512;
using CodePath = std::vector<uint32_t>;

// The code of a session's stacks, with names as far as they are known.
class Code {
 public:
  // Without symbols (an empty message) every stack is one unknown frame.
  explicit Code(const pb::Symbols& symbols = {});

  // Frames that only tell how the sample was taken are cut off the inner end (inner_frames.h).
  // A stack that is not defined is the unknown frame alone.
  CodePath PathOf(uint32_t stack_id, StackSide side) const;
  bool IsDefined(uint32_t stack_id) const { return stacks_.contains(stack_id); }
  // Whether the machine code at the program's place only waits for another thread (a spin loop).
  bool Spins(uint32_t stack_id) const {
    const auto found = stacks_.find(stack_id);
    return found != stacks_.end() && found->second.spins;
  }
  const CodeFrame& frame(uint32_t index) const { return frames_[index]; }
  std::span<const CodeFrame> frames() const { return frames_; }
  // How the user could see more names, one line each.
  std::span<const std::string> notes() const { return notes_; }

 private:
  struct Stack {
    CodePath frames;
    uint32_t kernel_frames = 0;  // the first so many
    bool spins = false;
  };
  std::vector<CodeFrame> frames_;  // [0] is the unknown one
  absl::flat_hash_map<uint32_t, Stack> stacks_;
  std::vector<std::string> notes_;
};

// Stacks that are one to the reader, as their paths are equal.
struct PathShare {
  CodePath path;
  uint64_t samples = 0;
  double estimate_ns = 0;
  double share = 0;  // of all that were given; they add up to 1
};

// Heaviest first.
std::vector<PathShare> MergePaths(std::span<const StackSum> sums, const Code& code);

// In which code each entity spends its time: the functions it runs in, and the ways by which it
// came to wait (reason, and the program's functions). `sums` are of entities, not of vertices.
std::vector<CodeProfile> CodeProfiles(const StackSums& sums, const Code& code, size_t entities);

// The reason of a wait, from the kernel's frames alone (wait_reasons.cc has the table): futex,
// pipe, socket, epoll, disk, page fault, memory, child, timer, …; "other" if they do not tell.
inline constexpr std::string_view kOtherReason = "other";
inline constexpr std::string_view kMemoryReason = "memory";  // the kernel looks for some to free
std::string_view ReasonOf(const CodePath& path, const Code& code);

// The frames a person wants to see, innermost first: the function by which the program went to wait
// or to wake, as its libraries call it (fsync, std::mutex::lock), then the program's own. Of
// a kernel thread the kernel's frames. "fsync ← FileLog::Commit (log.cc:88) ← Serve (server.cc:41)"
inline constexpr size_t kStoryFrames = 4;
std::string StoryOf(const CodePath& path, const Code& code, size_t most_frames = kStoryFrames);

// The innermost frame of the program's own code, not the kernel's and not that of common libraries:
// with a name, if any has one. Null without such a frame.
const CodeFrame* ProgramFrame(const CodePath& path, const Code& code);

// Paths of one story.
struct Story {
  std::string text;  // empty: nothing has a name
  double share = 0;
  uint64_t samples = 0;
};
// Heaviest first.
std::vector<Story> StoriesOf(std::span<const PathShare> paths, const Code& code,
                             size_t most_frames = kStoryFrames);

}  // namespace gordian
