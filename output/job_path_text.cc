// SPDX-License-Identifier: Apache-2.0
#include "output/job_path_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr int kProgramsShown = 6;
constexpr int kLossesShown = 5;
constexpr double kWorthARow = 0.01;
constexpr size_t kProgramWidth = 30;

// Eighths of a line's height: so much of the CPUs.
std::string Height(double share) {
  static constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double eighths = std::ceil(std::clamp(share, 0.0, 1.0) * 8 - 0.5);
  return kBlocks[static_cast<size_t>(std::clamp(eighths, 0.0, 8.0))];
}

// A letter for each program, by its place in the strip: the first ones get a, b, c …
class Letters {
 public:
  char Of(const std::string& program) {
    if (program.empty()) return '.';
    const auto [place, is_new] = letters_.try_emplace(program, next_ <= 'z' ? next_ : '?');
    if (is_new && next_ <= 'z') {
      legend_.push_back(absl::StrCat(std::string(1, next_), " ", CleanText(program)));
      ++next_;
    }
    return place->second;
  }
  std::string Legend() const { return absl::StrJoin(legend_, ", "); }

 private:
  char next_ = 'a';
  std::map<std::string, char> letters_;
  std::vector<std::string> legend_;
};

// The average of the bins that one column stands for.
template <typename Value>
double Average(const pb::JobPath& path, int from, int to, Value value) {
  double sum = 0;
  for (int i = from; i < to; ++i) sum += value(path.strip(i));
  return to > from ? sum / (to - from) : 0;
}

void AddStrip(const pb::JobPath& path, TextPage& page) {
  const int bins = path.strip_size();
  const int columns = std::min(bins, static_cast<int>(page.text_width()));
  if (columns == 0) return;
  double most = 1;
  for (const pb::WidthBin& bin : path.strip())
    most = std::max(most, std::ceil(bin.running() + bin.ready() + bin.disk() - 0.05));
  const auto row = [&](auto value) {
    std::string text;
    for (int column = 0; column < columns; ++column)
      text += Height(Average(path, column * bins / columns, (column + 1) * bins / columns, value) /
                     most);
    return text;
  };
  page.Row("running", row([](const pb::WidthBin& bin) { return bin.running(); }));
  const auto has = [&path](auto value) {
    return std::any_of(path.strip().begin(), path.strip().end(),
                       [&](const pb::WidthBin& bin) { return value(bin) > 0.05; });
  };
  const auto ready = [](const pb::WidthBin& bin) { return bin.ready(); };
  const auto disk = [](const pb::WidthBin& bin) { return bin.disk(); };
  const auto others = [](const pb::WidthBin& bin) { return bin.others(); };
  if (has(ready)) page.Row("ready", row(ready));
  if (has(disk)) page.Row("for disks", row(disk));
  if (has(others)) page.Row("others", row(others));
  Letters letters;
  std::string programs;
  for (int column = 0; column < columns; ++column)
    programs += letters.Of(path.strip(column * bins / columns).program());
  page.Row("on path", programs);
  page.Labelled("", absl::StrCat(letters.Legend(), "; full height is ",
                                 FormatCount(static_cast<uint64_t>(most), "thread"), ", ",
                                 SecondsText(path.seconds()), " from left to right"));
}

// "cc1 61 %: run 58 %, ready 3 %".
void AddPrograms(const pb::JobPath& path, TextPage& page) {
  struct Program {
    double share = 0;
    double alone_s = 0;
    std::vector<std::string> states;
  };
  std::vector<std::string> order;
  std::map<std::string, Program> programs;
  for (const pb::PathShare& share : path.shares()) {
    const std::string name =
        absl::StrCat(CleanText(share.program()), share.outside() ? " (outside)" : "");
    Program& program = programs[name];
    if (program.share == 0) order.push_back(name);
    program.share += share.share();
    program.alone_s += share.alone_s();
    if (share.share() >= kWorthARow)
      program.states.push_back(
          absl::StrCat(CleanText(share.state()), " ", PercentText(share.share())));
  }
  std::stable_sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
    return programs[a].share > programs[b].share;
  });
  int shown = 0;
  for (const std::string& name : order) {
    const Program& program = programs[name];
    if (shown == kProgramsShown || program.share < kWorthARow) break;
    std::string text = absl::StrCat(
        PadRight(Shorten(name, kProgramWidth), 16), " ", PadLeft(PercentText(program.share), 5),
        program.states.empty() ? "" : ": ", absl::StrJoin(program.states, ", "));
    const double alone = path.seconds() > 0 ? program.alone_s / path.seconds() : 0;
    if (alone >= kWorthARow) absl::StrAppend(&text, "; alone ", PercentText(alone));
    page.Row(shown++ == 0 ? "programs" : "", text);
  }
}

std::string LossText(const std::string& loss) {
  static const std::map<std::string, std::string> kWords = {
      {"serial", "one program alone"},
      {"turns", "taking turns"},
      {"barrier", "a straggler alone"},
      {"narrow", "narrower than the machine"},
      {"disk", "waiting for disks"},
      {"idle", "waiting for the network or timers"},
      {"starved", "other programs on the CPUs"},
      {"outside", "waiting for programs outside"},
      {"full", "all CPUs used"},
      {"untold", "not known"}};
  const auto found = kWords.find(loss);
  return found == kWords.end() ? CleanText(loss) : found->second;
}

void AddLosses(const pb::JobPath& path, TextPage& page) {
  std::vector<std::string> words;
  for (const pb::PathLoss& loss : path.losses()) {
    if (words.size() == kLossesShown || loss.share() < kWorthARow) break;
    words.push_back(absl::StrCat(LossText(loss.loss()), " ", PercentText(loss.share())));
  }
  page.Labelled("time", absl::StrJoin(words, ", "));
}

std::string CommandText(const pb::PathCommand& command) {
  if (command.command().empty())
    return absl::StrCat(CleanText(command.program()), "/", command.pid());
  return absl::StrCat(CleanText(command.command()),
                      command.directory().empty() ? "" : " in " + CleanText(command.directory()));
}

void AddCommands(const pb::JobPath& path, TextPage& page) {
  bool is_first = true;
  for (const pb::PathCommand& command : path.longest()) {
    std::string text =
        absl::StrCat(PadLeft(SecondsText(command.path_s()), 8), "  ", CommandText(command));
    if (command.outside()) absl::StrAppend(&text, " (outside)");
    if (command.alone_s() >= kWorthARow * path.seconds())
      absl::StrAppend(&text, "  alone ", SecondsText(command.alone_s()));
    absl::StrAppend(&text, "  from ", SecondsText(command.start_s()));
    page.Row(is_first ? "longest" : "", text);
    is_first = false;
  }
}

}  // namespace

void AddJobPathText(const pb::JobPath& path, TextPage& page) {
  page.Blank();
  page.Headline(
      absl::StrCat("Critical path", path.root().empty() ? "" : " of ", CleanText(path.root())),
      Tone::kStrong);
  page.Labelled("job",
                absl::StrCat(SecondsText(path.seconds()), ", ",
                             FormatCount(path.commands(), "short-lived command"), " with ",
                             PercentText(path.short_lived_share()), " of its work, ",
                             absl::StrFormat("%.1f", path.width()), " threads on a CPU on average",
                             path.whole() ? "" : "; its end was not recorded"));
  AddStrip(path, page);
  AddPrograms(path, page);
  AddLosses(path, page);
  AddCommands(path, page);
}

}  // namespace gordian
