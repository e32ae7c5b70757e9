// SPDX-License-Identifier: Apache-2.0
#include "loglines/explain_log.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analysis/recorded_phases.h"
#include "causes/causes.h"
#include "loglines/blame_walk.h"
#include "loglines/file_context.h"
#include "loglines/line_words.h"
#include "loglines/related_lines.h"
#include "loglines/slice_cover.h"
#include "loglines/told_blame.h"
#include "loglines/told_writers.h"
#include "loglines/work_begin.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

constexpr size_t kMostWriters = 5;
constexpr size_t kMostToldText = 2000;
// Each costs a slice, and what the walk went over is in the slice anyway.
constexpr size_t kMostInVain = 100;

// One name for each file, however it was called.
std::string FileIdentity(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  return error ? path : whole.string();
}

class LineExplainer {
 public:
  LineExplainer(const LoadedRecording& recording, const LogQuestion& question)
      : recording_(recording),
        question_(question),
        timeline_(*recording.timeline),
        clocks_(recording),
        calls_(WriteCalls::Read(recording)),
        writers_(timeline_, calls_),
        setting_{recording, clocks_, writers_, question.zone} {}

  absl::StatusOr<pb::LogExplanation> Explain() {
    if (absl::Status status = FindLineAndMoment(); !status.ok()) return status;
    if (absl::Status status = FindWriter(); !status.ok()) return status;
    TellWriters();
    FindBegin();
    const Blame blame = BlameOf(timeline_, writer_.thread, since_ns_, at_ns_);
    told_.set_at_ns(at_ns_ - timeline_.start_ns());
    told_.set_since_ns(since_ns_ - timeline_.start_ns());
    TellBlame(timeline_, blame, writer_.thread, since_ns_, at_ns_, told_);
    CoverSlice(blame);
    if (absl::Status status = TellOtherLines(); !status.ok()) return status;
    TellCommands(blame);
    TellNotes();
    return std::move(told_);
  }

 private:
  std::string Place() const {
    return absl::StrCat(CleanText(question_.place.path), ":", line_.number);
  }

  absl::Status FindLineAndMoment() {
    auto log = StampedLog::Open(question_.place.path);
    if (!log.ok()) return log.status();
    auto line = FindLine(*log, question_.place);
    if (!line.ok()) return line.status();
    line_ = *std::move(line);
    auto context =
        FileContext::Learn(setting_, {question_.place.path, question_.node}, line_.stamp_text);
    if (!context.ok()) return context.status();
    context_.emplace(*std::move(context));
    const auto stamp = context_->log().stamps().Find(line_.stamp_text, context_->reading());
    if (stamp) {
      sample_ = context_->SampleOf(line_.stamp_text, *stamp);
      stamp_ = *stamp;
    }
    if (question_.at_ns) return TakeToldMoment();
    if (!stamp)
      return absl::FailedPreconditionError(
          absl::StrCat(Place(),
                       " has no time stamp, and no line above it has one; tell the moment "
                       "with --at and the thread with --thread"));
    return CheckWindow(context_->WindowOf(*stamp));
  }

  absl::Status TakeToldMoment() {
    const uint64_t length_ns = timeline_.end_ns() - timeline_.start_ns();
    if (*question_.at_ns == 0 || *question_.at_ns > length_ns)
      return absl::OutOfRangeError(absl::StrCat("--at is not within the recording, which is ",
                                                FormatDuration(length_ns), " long"));
    const uint64_t at_ns = timeline_.start_ns() + *question_.at_ns;
    sample_.header = HeaderOf(line_.stamp_text, stamp_.begin, stamp_.end);
    sample_.windows.assign(clocks_.nodes(), LineWindow{.from_ns = at_ns - 1, .to_ns = at_ns});
    return absl::OkStatus();
  }

  absl::Status CheckWindow(const LineWindow& window) const {
    if (window.is_in_pause)
      return absl::OutOfRangeError(
          absl::StrCat(Place(), " was written while the recording paused to keep to its budget"));
    if (window.is_within()) return absl::OkStatus();
    const bool is_before = window.before_ns > 0;
    return absl::OutOfRangeError(absl::StrCat(
        Place(), " was written ", FormatDuration(is_before ? window.before_ns : window.after_ns),
        is_before ? " before the recording's start" : " after the recording's end",
        stamp_.has_zone || stamp_.is_monotonic
            ? ""
            : absl::StrCat("; its time tells no zone and was read as ", context_->zone().words,
                           ": --zone tells another")));
  }

  absl::Status FindWriter() {
    guesses_ = writers_.WritersOf(context_->signs(), sample_, kMostWriters);
    if (!question_.thread.empty()) return TakeToldThread();
    if (guesses_.empty())
      return absl::NotFoundError(
          absl::StrCat("no thread of a program lived when ", Place(), " was written"));
    writer_ = guesses_.front();
    at_ns_ = writer_.at_ns;
    return ClampMoment();
  }

  absl::Status TakeToldThread() {
    int32_t tid = 0;
    const bool is_number = absl::SimpleAtoi(question_.thread, &tid);
    for (const LineWriter& writer :
         writers_.WritersOf(context_->signs(), sample_, timeline_.thread_count())) {
      const Entity& entity = timeline_.entities()[writer.thread];
      const bool is_called = is_number
                                 ? entity.tid == tid
                                 : entity.name == question_.thread ||
                                       ThreadLabel(entity.name, entity.tid) == question_.thread;
      if (!is_called) continue;
      writer_ = writer;
      writer_.how_sure = 1;
      guesses_.assign(1, writer_);
      at_ns_ = writer_.at_ns;
      return ClampMoment();
    }
    return absl::NotFoundError(absl::StrCat("no thread ", CleanText(question_.thread),
                                            " lived when ", Place(), " was written"));
  }

  absl::Status ClampMoment() {
    const Entity& entity = timeline_.entities()[writer_.thread];
    if (question_.at_ns) at_ns_ = timeline_.start_ns() + *question_.at_ns;
    at_ns_ = std::clamp(at_ns_, std::min(entity.begin_ns + 1, entity.end_ns), entity.end_ns);
    at_ns_ = std::max(at_ns_, timeline_.start_ns() + 1);
    return absl::OkStatus();
  }

  void TellWriters() {
    const LineWindow window = sample_.windows[timeline_.entities()[writer_.thread].node];
    pb::ExplainedLine& line = *told_.mutable_line();
    line.set_file(CleanText(question_.place.path));
    line.set_line(line_.number);
    line.set_from_ns(window.from_ns - timeline_.start_ns());
    line.set_to_ns(window.to_ns - timeline_.start_ns());
    if (!timeline_.nodes().empty())
      line.set_node(CleanText(timeline_.nodes()[timeline_.entities()[writer_.thread].node]));
    line.set_thread(WhoOf(timeline_, writer_.thread));
    line.set_text(CleanText(std::string_view(line_.text).substr(0, kMostToldText)));
    line.set_how_sure(writer_.how_sure);
    for (const LineWriter& guess : guesses_)
      TellWriter(timeline_, guess, !question_.thread.empty(), *told_.add_writers());
  }

  SliceRequest Request(EntityId thread, uint64_t at_ns, uint64_t from_ns) const {
    return {.thread = thread, .at_ns = at_ns, .from_ns = from_ns, .to_ns = timeline_.end_ns()};
  }

  // A stamp may be so coarse that the moment is only known to lie in a run: the answer may have
  // been sent when it ends, and the asker may be on its CPU still when it begins.
  Asker FindAsker() const {
    const uint64_t run_from_ns = std::clamp(writer_.run_from_ns + 1, timeline_.start_ns(), at_ns_);
    for (const uint64_t moment_ns :
         {at_ns_, run_from_ns + (at_ns_ - run_from_ns) / 2, run_from_ns}) {
      const Asker asker = AskerOf(timeline_, writer_.thread, moment_ns);
      if (asker.thread != kNobody) return asker;
      if (writer_.run_from_ns == 0) break;
    }
    return {};
  }

  void FindBegin() {
    phases_ = ReadThreadPhases(recording_);
    graph_.emplace(timeline_, phases_.phases);
    const Asker asker = FindAsker();
    since_ns_ = std::max(timeline_.start_ns(), timeline_.entities()[writer_.thread].begin_ns);
    if (question_.since_ns) {
      since_ns_ = timeline_.start_ns() + *question_.since_ns;
      told_.set_since_why("--since tells it");
    } else if (asker.thread != kNobody) {
      since_ns_ = asker.asked_ns;
      told_.set_since_why(
          absl::StrCat(WhoOf(timeline_, asker.thread), " asked then, and waits for it"));
    } else {
      since_ns_ = WorkBegin(*graph_, writer_.thread, at_ns_, timeline_.start_ns(), 1);
      told_.set_since_why(
          "its work began then, as far as its waits tell; --since tells another time");
    }
    since_ns_ = std::clamp(since_ns_, timeline_.start_ns(), at_ns_ - 1);
  }

  // What the awaited thread was at had begun before it was waited for. But no longer before than
  // the wait took: a loop over a disk may have gone on for hours.
  void AddAwaited(const BlamedWait& wait) {
    const uint64_t length_ns = wait.to_ns - wait.from_ns;
    const uint64_t earliest_ns =
        std::max(timeline_.start_ns(), wait.from_ns - std::min(wait.from_ns, length_ns));
    const uint64_t from_ns = WorkBegin(*graph_, wait.waited_for, wait.from_ns, earliest_ns, 0);
    cover_.Add(wait.waited_for, from_ns, wait.from_ns);
    covered_from_ns_ = std::min(covered_from_ns_, from_ns);
  }

  void CoverSlice(const Blame& blame) {
    covered_from_ns_ = since_ns_;
    const auto add = [this](EntityId thread, uint64_t at_ns, uint64_t from_ns) {
      if (from_ns >= at_ns) return;
      const Slice slice = SliceOf(*graph_, Request(thread, at_ns, from_ns), question_.threads);
      for (const SliceStretch& stretch : slice.stretches)
        cover_.Add(stretch.thread, stretch.from_ns, stretch.to_ns);
      doubts_.waits_not_known += slice.counts.doubts.waits_not_known;
      doubts_.causes_asleep += slice.counts.doubts.causes_asleep;
    };
    add(writer_.thread, at_ns_, since_ns_);
    for (const BlamedWait& wait : LongestInVain(blame, kMostInVain)) {
      AddAwaited(wait);
      add(wait.waited_for, wait.to_ns, wait.from_ns);
    }
    for (const BlameStep& step : blame.steps) cover_.Add(step.thread, step.from_ns, step.to_ns);
    cover_.Settle();
  }

  absl::Status TellOtherLines() {
    const bool is_own = line_.stamp_number == line_.number;
    WordLines words(line_.text, is_own ? stamp_.begin : 0, is_own ? stamp_.end : 0);
    RelatedLines related(setting_, cover_, {.from_ns = covered_from_ns_, .to_ns = at_ns_});
    if (absl::Status status = related.ReadFile(*context_, words); !status.ok()) return status;
    absl::flat_hash_set<std::string> known = {FileIdentity(question_.place.path)};
    for (const LogInput& input : question_.logs) {
      if (!known.insert(FileIdentity(input.path)).second) continue;
      auto context = FileContext::Learn(setting_, input, "");
      absl::Status status = context.status();
      if (status.ok()) status = related.ReadFile(*context, words);
      if (status.ok()) continue;
      if (!input.is_of_folder) return status;
      told_.add_notes(absl::StrCat("Left out: ", CleanText(std::string(status.message())), "."));
    }
    related.Tell(writer_.thread, {0, line_.number}, words, question_.most_lines, told_);
    for (const std::string& note : related.notes()) told_.add_notes(note);
    return absl::OkStatus();
  }

  std::string SliceCommand(EntityId thread, uint64_t at_ns) const {
    const Entity& entity = timeline_.entities()[thread];
    std::string command = absl::StrCat(
        "gordian slice ", recording_.directory.empty() ? "DIR" : CleanText(recording_.directory),
        " --thread ", entity.tid);
    if (!timeline_.nodes().empty())
      absl::StrAppend(&command, " --node ", CleanText(timeline_.nodes()[entity.node]));
    return absl::StrCat(command, " --at ", at_ns - timeline_.start_ns(), "ns");
  }

  void TellCommands(const Blame& blame) {
    told_.add_commands(SliceCommand(writer_.thread, at_ns_));
    const BlamedWait* longest = nullptr;
    for (const BlamedWait& wait : blame.waits) {
      if (wait.kind == BlameKind::kRun && wait.parent == kNoBlamedWait &&
          (longest == nullptr || wait.to_ns - wait.from_ns > longest->to_ns - longest->from_ns))
        longest = &wait;
    }
    if (longest != nullptr) told_.add_commands(SliceCommand(longest->waited_for, longest->to_ns));
  }

  void TellNotes() {
    const auto note = [this](bool holds, const std::string& text) {
      if (holds) told_.add_notes(text);
    };
    note(line_.stamp_number != line_.number && line_.stamp_number != 0,
         absl::StrCat("The line has no time of its own; it is that of line ", line_.stamp_number,
                      "."));
    note(context_->zone().is_guess,
         absl::StrCat("Times without a zone were read as ", context_->zone().words,
                      ", which brings the line into the recording; --zone tells another."));
    note(!clocks_.knows_wall_clock() && !stamp_.is_monotonic,
         "The recording does not tell the wall clock; times were taken as they are.");
    note(writer_.runs > 1 && !question_.at_ns && !writer_.wrote,
         absl::StrCat("The thread was on a CPU ", FormatCount(writer_.runs),
                      " times while the stamp was the same; the time behind its longest wait is "
                      "taken. --at tells another."));
    note(writer_.how_sure < 0.9,
         "Who wrote the line is not sure; --thread tells it, and a log with thread numbers would.");
    note(doubts_.causes_asleep > 0,
         absl::StrCat(FormatCount(doubts_.causes_asleep, "wait"),
                      " in the slice had no known cause: the slice may lack some of it."));
    note(timeline_.lost() > 0,
         absl::StrCat(FormatCount(timeline_.lost(), "event"), " were lost while it was recorded."));
    note(line_.is_cut, "The line is longer than 16 KiB; only that much was read.");
    for (const std::string& node : recording_.left_out)
      told_.add_notes(absl::StrCat("Left out: ", CleanText(node), "."));
  }

  const LoadedRecording& recording_;
  const LogQuestion& question_;
  const Timeline& timeline_;
  const LogClocks clocks_;
  const WriteCalls calls_;
  const LineWriters writers_;
  const LogSetting setting_;
  std::optional<FileContext> context_;
  FoundLine line_;
  LineStamp stamp_;
  SampleLine sample_;
  std::vector<LineWriter> guesses_;
  LineWriter writer_;
  uint64_t at_ns_ = 0;
  uint64_t since_ns_ = 0;
  uint64_t covered_from_ns_ = 0;  // by the slice
  RecordedPhases phases_;
  std::optional<ExecutionGraph> graph_;
  SliceCover cover_;
  SliceDoubts doubts_;
  pb::LogExplanation told_;
};

}  // namespace

absl::StatusOr<pb::LogExplanation> ExplainLine(const LoadedRecording& recording,
                                               const LogQuestion& question) {
  return LineExplainer(recording, question).Explain();
}

}  // namespace gordian
