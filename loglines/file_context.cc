// SPDX-License-Identifier: Apache-2.0
#include "loglines/file_context.h"

#include <filesystem>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

bool IsNode(const LoadedRecording& recording, const LogClocks& clocks, uint32_t node,
            const std::string& name) {
  const std::vector<std::string>& names = recording.timeline->nodes();
  return (node < names.size() && names[node] == name) || clocks.hostname(node) == name;
}

// A file's lines to learn from: evenly spread over it, however long it is.
class SpreadSample {
 public:
  bool WantsNext() const { return seen_ % stride_ == 0; }
  void Pass() { ++seen_; }
  void Add(SampleLine line) {
    lines_.push_back(std::move(line));
    if (lines_.size() < 2 * kMostSampleLines) return;
    for (size_t i = 1; i < kMostSampleLines; ++i) lines_[i] = std::move(lines_[2 * i]);
    lines_.resize(kMostSampleLines);
    stride_ *= 2;
  }
  std::vector<SampleLine> Take() {
    if (lines_.size() > kMostSampleLines) {
      for (size_t i = 1; 2 * i < lines_.size(); ++i) lines_[i] = std::move(lines_[2 * i]);
      lines_.resize((lines_.size() + 1) / 2);
    }
    return std::move(lines_);
  }

 private:
  uint64_t seen_ = 0;
  uint64_t stride_ = 1;
  std::vector<SampleLine> lines_;
};

}  // namespace

absl::StatusOr<std::vector<uint32_t>> NodesOfLog(const LoadedRecording& recording,
                                                 const LogClocks& clocks, const LogInput& input) {
  std::vector<uint32_t> all(clocks.nodes());
  std::iota(all.begin(), all.end(), 0);
  for (const uint32_t node : all) {
    if (!input.node.empty() && IsNode(recording, clocks, node, input.node))
      return std::vector<uint32_t>{node};
  }
  if (!input.node.empty())
    return absl::NotFoundError(absl::StrCat(
        "there is no node ", CleanText(input.node), " for ", CleanText(input.path),
        recording.timeline->nodes().empty()
            ? "; the recording is of one node alone"
            : absl::StrCat("; the nodes are ",
                           CleanText(absl::StrJoin(recording.timeline->nodes(), ", ")))));
  // The innermost folder first. Nodes of a test on one machine have one hostname: it tells nothing.
  const std::vector<std::string>& names = recording.timeline->nodes();
  std::filesystem::path folder = std::filesystem::path(input.path).parent_path();
  for (; folder.has_filename(); folder = folder.parent_path()) {
    for (const uint32_t node : all) {
      if (node < names.size() && names[node] == folder.filename().string())
        return std::vector<uint32_t>{node};
    }
  }
  return all;
}

SampleLine FileContext::SampleOf(std::string_view line, const LineStamp& stamp) const {
  SampleLine sample{.header = HeaderOf(line, stamp.begin, stamp.end)};
  for (uint32_t node = 0; node < setting_->clocks.nodes(); ++node)
    sample.windows.push_back(setting_->clocks.WindowOf(stamp, node));
  return sample;
}

LineWindow FileContext::WindowOf(const LineStamp& stamp) const {
  for (const uint32_t node : signs_.nodes) {
    const LineWindow window = setting_->clocks.WindowOf(stamp, node);
    if (window.is_within()) return window;
  }
  return setting_->clocks.WindowOf(stamp, signs_.nodes.front());
}

absl::Status FileContext::LearnSigns(const std::string& path) {
  SpreadSample sample;
  absl::Status status = log_.ForEachLine(reading_, [&](const StampedLine& line) {
    if (!line.is_stamp_own || !WindowOf(*line.stamp).is_within()) return true;
    if (sample.WantsNext()) sample.Add(SampleOf(line.text, *line.stamp));
    sample.Pass();
    return true;
  });
  if (!status.ok()) return status;
  signs_ = setting_->writers.Learn(std::filesystem::path(path).filename().string(),
                                   std::move(signs_.nodes), sample.Take());
  return absl::OkStatus();
}

absl::StatusOr<FileContext> FileContext::Learn(const LogSetting& setting, const LogInput& input,
                                               std::string_view line) {
  auto log = StampedLog::Open(input.path);
  if (!log.ok()) return log.status();
  auto nodes = NodesOfLog(setting.recording, setting.clocks, input);
  if (!nodes.ok()) return nodes.status();
  FileContext context(setting, *std::move(log));
  context.signs_.nodes = *std::move(nodes);
  context.reading_.near_ns = setting.clocks.middle_realtime_ns();
  std::string first(line);
  if (first.empty()) {
    const absl::Status status =
        context.log_.ForEachLine(context.reading_, [&first](const StampedLine& stamped) {
          if (stamped.is_stamp_own) first = std::string(stamped.text.substr(0, kMostLineText));
          return !stamped.is_stamp_own;
        });
    if (!status.ok()) return status;
  }
  context.zone_ = ChooseZone(setting.clocks, context.log_.stamps(), first,
                             context.signs_.nodes.front(), setting.zone);
  context.reading_.zone = context.zone_.zone;
  if (absl::Status status = context.LearnSigns(input.path); !status.ok()) return status;
  return context;
}

}  // namespace gordian
