// SPDX-License-Identifier: Apache-2.0
// Which thread wrote a line of a log, as far as line, file and recording tell.
//
// Every thread of the file's nodes is as likely as any other at first. Signs then multiply its
// likelihood (naive Bayes), each by as much as it is seen more often than by chance:
//   time     it was on a CPU for so much of the time that the line's stamp covers: nobody writes
//            while asleep. Where the recording has write calls, one of them lies in that time.
//   file     a thread of its process was on a CPU at nearly every stamp of the file, but not as
//            often at other times.
//   number   the line names it, or its process. Which numbers are threads' is learned from the
//            file: those in one place that name one that ran then, more often than by chance.
//   name     the line's beginning, or the file's name, has the process' name; or the line has the
//            thread's own.
// How sure a writer is, is its share of all likelihoods.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"
#include "loglines/log_clocks.h"
#include "loglines/write_calls.h"

namespace gordian {

// A line of the file to learn from: its beginning, and when it was written, by node.
struct SampleLine {
  std::string header;
  std::vector<LineWindow> windows;
};
// More of a line is text, in which a number means anything.
inline constexpr size_t kMostHeaderBytes = 256;
// As many lines tell a number's meaning about as well as more: each costs a look at all threads.
inline constexpr size_t kMostSampleLines = 64;

// The line's beginning without its stamp.
std::string HeaderOf(std::string_view line, size_t stamp_begin, size_t stamp_end);

// What was learned of a file.
struct FileSigns {
  std::string name;             // without folders
  std::vector<uint32_t> nodes;  // on which it may have been written
  // What the numbers in one place of the lines name.
  struct Number {
    uint64_t values = 0;     // different ones
    uint64_t threads = 0;    // of them those that name a thread that ran then
    uint64_t processes = 0;  // … a process of which a thread did
  };
  absl::flat_hash_map<std::string, Number> numbers;  // by what stands around them
  // That any number up to the highest of a thread is one's that ran at the time of a line.
  double number_chance = 0;
  absl::flat_hash_map<uint64_t, double> processes;  // by NumberOnNode: the logarithm of its sign
};

struct LineWriter {
  EntityId thread = kNobody;
  double how_sure = 0;
  uint64_t at_ns = 0;        // the moment of its line
  uint64_t run_from_ns = 0;  // of the run that holds it
  uint64_t runs = 0;         // within the stamp's time; 0: it did not run then
  bool named = false;        // the line tells its number
  bool process_named = false;
  bool process_by_name = false;
  bool thread_by_name = false;   // the line has its own name
  bool process_by_time = false;  // the file's stamps tell its process
  bool wrote = false;            // a write call was recorded
};

class LineWriters {
 public:
  // Both must outlive this object.
  LineWriters(const Timeline& timeline, const WriteCalls& calls);

  FileSigns Learn(std::string name, std::vector<uint32_t> nodes,
                  const std::vector<SampleLine>& lines) const;
  // The most likely first, at most `most`; only those whose process is as likely as any other's.
  std::vector<LineWriter> WritersOf(const FileSigns& signs, const SampleLine& line,
                                    size_t most) const;

 private:
  struct Life {
    EntityId thread = kNobody;
    uint64_t process = 0;
  };
  uint64_t RunWithin(EntityId thread, const LineWindow& window) const;
  // Then or by kClockSlipNs earlier or later.
  bool RanNearby(EntityId thread, const LineWindow& window) const;
  double TimeSign(EntityId thread, const LineWindow& window, bool& wrote) const;
  void LearnProcesses(const std::vector<SampleLine>& lines, FileSigns& signs) const;
  void LearnNumbers(const std::vector<SampleLine>& lines, FileSigns& signs) const;
  double ChanceOfANumber(const SampleLine& line, const std::vector<uint32_t>& nodes) const;
  void ChooseMoment(const LineWindow& window, LineWriter& writer) const;

  const Timeline& timeline_;
  const WriteCalls& calls_;
  std::vector<std::vector<Life>> lives_;  // by node: threads of programs
};

}  // namespace gordian
