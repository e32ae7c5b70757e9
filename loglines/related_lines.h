// SPDX-License-Identifier: Apache-2.0
// Lines of all logs that have to do with one: those that were written within its slice, and those
// outside of it that have its rare words.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "loglines/file_context.h"
#include "loglines/line_words.h"
#include "loglines/slice_cover.h"
#include "report/time_range.h"
#include "schema/log_explanation.pb.h"

namespace gordian {

class RelatedLines {
 public:
  // Both must outlive this object.
  RelatedLines(const LogSetting& setting, const SliceCover& cover, TimeRange range)
      : setting_(setting), cover_(cover), range_(range) {}

  // Files are numbered as they are read, from 0.
  absl::Status ReadFile(FileContext& context, WordLines& words);

  // A file's number, and a line's.
  using Line = std::pair<uint32_t, uint64_t>;
  // Fills in lines, rare_words and elsewhere. Lines of `writer` are not those of others.
  void Tell(EntityId writer, Line asked, const WordLines& words, size_t most,
            pb::LogExplanation& told) const;

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct WithinSlice {
    Line line;
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
    EntityId thread = kNobody;
    double how_sure = 0;  // that it is in the slice
    std::string text;
  };
  void TakeLine(uint32_t file, const FileContext& context, const StampedLine& line);
  std::string NodeName(uint32_t node) const;

  const LogSetting& setting_;
  const SliceCover& cover_;
  TimeRange range_;
  std::vector<std::string> paths_;
  std::vector<WithinSlice> within_;
  uint64_t judged_ = 0;
  uint64_t not_judged_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace gordian
