// SPDX-License-Identifier: Apache-2.0
// The marks that have happened in a replay, and the times of the marks that cut them into parts.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "whatif/play/play.h"

namespace gordian {

class MarkTimes {
 public:
  // Times go into `outcome`.
  MarkTimes(const Score& score, std::span<const MarkRange> ranges, PlayOutcome& outcome)
      : score_(score), ranges_(ranges), outcome_(outcome), streams_(ranges.size()) {
    for (EntityId thread = 0; !score.stretch.empty() && thread < score.threads(); ++thread) {
      for (const Step& step : score.StepsOf(thread))
        if (step.kind == StepKind::kMark) ++left_[score.stretch[thread]];
    }
    for (size_t i = 0; i < streams_.size() && streams_.size() > 1; ++i)
      if (ranges[i].Count() == 0) End(streams_[i]);
  }

  // All streams have all of their marks.
  bool done() const { return streams_done_ == streams_.size(); }
  void Count(EntityId thread, uint32_t of_stream, uint64_t now_ns) {
    ++count_;
    const size_t number = streams_.size() == 1 ? 0 : of_stream;
    if (number < streams_.size()) CountIn(streams_[number], ranges_[number], now_ns);
    const bool is_last = !left_.empty() && --left_[score_.stretch[thread]] == 0;
    if (is_last && outcome_.marks_at_first_end == 0) outcome_.marks_at_first_end = count_;
  }

  // At the end.
  void TellCuts() {
    std::vector<MarkCuts> cuts;
    for (Stream& stream : streams_) {
      // A replay that was broken off.
      for (; stream.next_cut <= kParts && streams_.size() > 1; ++stream.next_cut)
        stream.cut_ns.at(stream.next_cut) = outcome_.end_ns;
      cuts.push_back(stream.cut_ns);
    }
    outcome_.cut_ns = JoinStreams(cuts, ranges_);
  }

 private:
  struct Stream {
    MarkCuts cut_ns{};
    uint32_t count = 0;
    size_t next_cut = 0;
    bool is_done = false;
  };

  void CountIn(Stream& stream, const MarkRange& range, uint64_t now_ns) {
    for (; stream.next_cut <= kParts &&
           CutMark(range.first, range.last, stream.next_cut) == stream.count;
         ++stream.next_cut)
      stream.cut_ns.at(stream.next_cut) = now_ns;
    if (stream.count == range.last) End(stream);
    ++stream.count;
  }

  void End(Stream& stream) {
    if (!std::exchange(stream.is_done, true)) ++streams_done_;
  }

  const Score& score_;
  const std::span<const MarkRange> ranges_;
  PlayOutcome& outcome_;
  std::vector<Stream> streams_;
  size_t streams_done_ = 0;
  uint32_t count_ = 0;
  std::map<uint32_t, uint32_t> left_;  // marks, by stretch
};

}  // namespace gordian
