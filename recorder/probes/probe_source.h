// SPDX-License-Identifier: Apache-2.0
// The words that programs say of themselves (probe/gordian_probe.h), as events: finds the files
// they speak through, asks them to record, and reads their words.
//
// Not thread-safe: called from the drain's rounds. It never waits, and each round is bounded in
// files and bytes (docs/design-probes.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "recorder/probes/probe_directories.h"
#include "recorder/probes/probe_file.h"
#include "recorder/probes/process_threads.h"
#include "recorder/sources/system_paths.h"
#include "schema/session.pb.h"
#include "trace/event_block.h"

namespace gordian {

struct ProbePaths {
  SystemPaths system;
  std::string shared_memory = GORDIAN_PROBE_DIRECTORY;
};

struct ProbeCounts {
  uint64_t events = 0;
  uint64_t lost = 0;
  uint64_t records_invalid = 0;
  uint64_t out_of_time = 0;      // words whose time cannot be
  uint64_t threads_unknown = 0;  // words of threads that are not their process's
  uint64_t files_refused = 0;
  uint64_t files_not_taken = 0;  // there were too many
  uint64_t gaps = 0;             // times when no process was asked for words any more
};

class ProbeSource {
 public:
  explicit ProbeSource(ProbePaths paths = {});
  ~ProbeSource();

  // The recording begins: events before `start_ns` are not its own.
  void Begin(uint64_t start_ns);

  // Takes all events of threads; ignores other events.
  void Learn(const TraceEvent& event, const EventBlock& block) { threads_.Learn(event, block); }

  // Takes the words in the rings, and now and then looks for files and asks for more. `now_ns` is
  // the time now.
  void Round(uint64_t now_ns);

  // The same, leaving nothing for a later round.
  void LastRound(uint64_t now_ns);

  // Moves the events up to `until_ns` into `block`, in order of time, as threads of this machine.
  // All births of threads up to then must have been learnt.
  void TakeUntil(uint64_t until_ns, EventBlock& block);

  // The latest time up to `wanted_ns` before which no event comes out of TakeUntil any more; never
  // less than an earlier answer. Words from before it are refused from now on.
  uint64_t PromiseUntil(uint64_t wanted_ns);

  // The recording has ended: requests end by themselves; marks and files of ended processes are
  // taken away, unless other recorders need them.
  void End(uint64_t now_ns);

  ProbeCounts counts() const;
  size_t files() const { return files_.size(); }

 private:
  struct OpenFile {
    ProbeFile file;
    std::string name;
    dev_t device = 0;
    ino_t inode = 0;
    uid_t uid = 0;
    uint64_t first_seen_ns = 0;
    int32_t pid = 0;            // of this machine; 0: not known yet
    uint64_t next_look_ns = 0;  // whether its owner still lives
    uint64_t next_read_ns = 0;  // a file of few words is not read in every round
    uint64_t quiet_ns = 0;      // how long it is left alone now
    uint64_t gone_ns = 0;       // when its owner was found to have ended
    bool unreadable = false;
  };
  struct Pending {
    uint64_t time_ns = 0;
    uint64_t value = 0;
    int32_t pid = 0;
    int32_t namespaced_tid = 0;
    uint32_t name = 0;  // into names_
    uint32_t key = 0;
    ProbeKind kind = ProbeKind::kSpinBegin;
  };

  void LookForFiles(ProbeDirectory& directory, uint64_t now_ns);
  void TryOpen(const ProbeDirectory& directory, const std::string& name, uint64_t now_ns);
  bool RoomFor(uid_t uid) const;
  void AskForMore(uint64_t now_ns);
  void ReadFiles(uint64_t now_ns);
  void CheckOwner(OpenFile& open, uint64_t now_ns);
  void ReadFile(OpenFile& open, uint64_t now_ns);
  void TakeWord(const OpenFile& open, const ProbeWord& word);
  void CloseFinished(uint64_t now_ns, uint64_t grace_ns);
  void RemoveName(const OpenFile& open);
  uint32_t Name(std::string_view text);
  uint64_t LockOf(int32_t pid, uint64_t address);
  bool AddEvent(const Pending& pending, EventBlock& block, std::vector<uint32_t>& index_in_block);
  void AddLoss(uint64_t until_ns, EventBlock& block);
  void ForgetNames();

  ProbePaths paths_;
  ProbeDirectories directories_;
  ProcessThreads threads_;
  std::vector<std::unique_ptr<OpenFile>> files_;
  // Looked at and refused, by device, inode and name: not opened again at every look.
  absl::flat_hash_set<std::string> refused_;
  absl::flat_hash_map<int32_t, uint64_t> lock_tags_;  // by pid

  ProbeRoom room_;
  std::vector<Pending> pending_;
  std::vector<std::string> names_;  // of the pending; [0] is the empty name
  absl::flat_hash_map<std::string, uint32_t> index_of_name_;

  uint64_t start_ns_ = 0;
  uint64_t taken_until_ns_ = 0;
  uint64_t promised_until_ns_ = 0;
  uint64_t latest_ns_ = 0;  // no word is from later than this: it has been read by now
  uint64_t next_refresh_ns_ = 0;
  uint64_t next_ask_ns_ = 0;
  uint64_t asked_until_ns_ = 0;
  uint64_t loss_told_ = 0;
  uint64_t loss_told_ns_ = 0;
  size_t first_file_ = 0;  // of the next round: so that no file is always last
  ProbeCounts counts_;     // and those of the files that are open
};

}  // namespace gordian
