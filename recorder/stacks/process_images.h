// SPDX-License-Identifier: Apache-2.0
// The mappings of processes seen in stacks: noted while they live, since their names are looked for
// only when the recording ends.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>

#include "symbols/symbols.h"

namespace gordian {

// A process between two execs, and between two looks at its mappings. Numbers of a process grow.
struct ImageId {
  int32_t tgid = 0;
  uint32_t version = 0;
  bool operator<(const ImageId& other) const {
    return std::pair(tgid, version) < std::pair(other.tgid, other.version);
  }
};

class ProcessImages {
 public:
  explicit ProcessImages(const SymbolPaths& paths = {}) : capture_(paths) {}

  // The image in which these addresses of the process (a stack's, innermost first) lie, now or once
  // it was looked at. Makes Capture look at it if that is not yet done. Also does so again if the
  // innermost address, or any other that is no guess, lies outside of its noted mappings: it has
  // loaded more since.
  ImageId ImageOf(int32_t tgid, std::span<const uint64_t> addresses, bool exact, uint64_t now_ns);
  // The process replaced its program: later stacks are in another image.
  void Replaced(int32_t tgid);

  // Looks at up to `most` of the wanted processes that were not looked at just before (50 ms for a
  // new one, a second at most). A look costs about 0.3 ms.
  void Capture(size_t most, uint64_t now_ns);
  // Looks at all wanted processes: for the end.
  void CaptureAll(uint64_t now_ns);
  // Reads the notes that compilers in these processes write about their code. They go on writing,
  // so call it as late as possible.
  void ReadPerfMaps();

  // The image in which a stack of that one lies: the process's image in which most of its addresses
  // are code. An exec or a loaded library may be reported later or earlier than the stack. Null if
  // the process was gone before it could be looked at.
  const ProcessMaps* Find(ImageId id, std::span<const uint64_t> addresses) const;
  // How many of the addresses, innermost first, lie in code before one does not: the rest is
  // nonsense that stood in the place of a frame pointer.
  static size_t CodeFrames(const ProcessMaps& maps, std::span<const uint64_t> addresses);
  static const Mapping* MappingAt(const ProcessMaps& maps, uint64_t address);
  const std::map<ImageId, ProcessMaps>& all() const { return images_; }
  // An image of an earlier recording. From then on no process is looked at: these pids now belong
  // to other processes.
  void Restore(ImageId id, ProcessMaps maps) { images_[id] = std::move(maps); }
  void LookNoMore() { look_ = false; }

  uint64_t processes_gone() const { return processes_gone_; }
  const SymbolCounters& counters() const { return capture_.counters(); }

 private:
  struct Process {
    uint32_t version = 0;
    bool wanted = false;  // in the queue
    bool has_generated_code = false;
    uint64_t looked_ns = 0;
    uint64_t pause_ns = 0;  // from then on, before the next look
  };

  void Look(int32_t tgid, Process& process, uint64_t now_ns);

  ProcessCapture capture_;
  std::map<int32_t, Process> processes_;
  std::map<ImageId, ProcessMaps> images_;
  std::deque<int32_t> wanted_;
  bool look_ = true;
  uint64_t processes_gone_ = 0;
};

}  // namespace gordian
