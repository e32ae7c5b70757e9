// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "absl/strings/str_format.h"
#include "output/machine_rows.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr double kHeldBackWorthShowing = 0.05;  // of a CPU
constexpr double kReadAgainWorthShowing = 1e6;  // bytes a second; the kernel always drops some
constexpr double kFullWorthShowing = 0.05;      // share of the time
constexpr double kNearlyFull = 0.8;             // share of a capacity

uint64_t Times(const pb::MachineResource* rate) {
  return static_cast<uint64_t>(std::llround(TotalOf(rate)));
}

class LimitLines {
 public:
  LimitLines(const MachineRows& rows, std::vector<MachineLine>& lines)
      : rows_(rows), lines_(lines) {}

  void Quotas() {
    for (const auto& [name, held] : rows_.Of("cpu_throttled")) {
      if (held->mean() < kHeldBackWorthShowing) continue;
      Warn(
          absl::StrFormat("cgroup %s: its quota of %.3g CPUs holds back %.2g CPUs' work on average",
                          CleanText(name), held->capacity(), held->mean()));
    }
  }

  void Memory() {
    for (const auto& [name, met] : rows_.Of("cgroup_at_limit")) {
      const pb::MachineResource* again = rows_.Find("cgroup_read_again", name);
      const pb::MachineResource* used = rows_.Find("cgroup_memory", name);
      const uint64_t times = Times(met);
      if (times == 0) continue;
      const std::string read = again == nullptr || again->mean() == 0
                                   ? ""
                                   : absl::StrCat(", and read again ", BytesText(TotalOf(again)));
      if (used == nullptr) {  // the machine
        if (again == nullptr || again->mean() < kReadAgainWorthShowing) continue;
        Warn(absl::StrCat("memory: the machine looked for free memory ", FormatCount(times, "time"),
                          read, " that it had dropped"));
        continue;
      }
      std::string text =
          absl::StrCat("cgroup ", CleanText(name), ": met its memory limit of ",
                       BytesText(used->capacity()), " ", FormatCount(times, "time"), read);
      const uint64_t killed = Times(rows_.Find("cgroup_out_of_memory", name));
      if (killed > 0) absl::StrAppend(&text, ", ", FormatCount(killed, "kill"), " for want of it");
      Warn(std::move(text));
    }
  }

  void Connections() {
    for (const auto& [name, queue] : rows_.Of("accept_queue")) {
      if (FullShare(*queue) < kFullWorthShowing) continue;
      Warn(absl::StrFormat("accept queue of %s (backlog %.0f): full for %s of the time",
                           CleanText(name), queue->capacity(), PercentText(FullShare(*queue))));
    }
    for (const auto& [name, overflows] : rows_.Of("accept_overflows")) {
      if (const uint64_t times = Times(overflows); times > 0)
        Warn(absl::StrCat("full accept queues turned connections away ",
                          FormatCount(times, "time")));
    }
    for (const auto& [name, table] : rows_.Of("connection_table"))
      Nearly("tracked connections", *table);
  }

  void Files() {
    for (const auto& [name, files] : rows_.Of("open_files"))
      Nearly(absl::StrCat("open files of ", name == "machine" ? "the machine" : CleanText(name)),
             *files);
  }

 private:
  void Warn(std::string text) { lines_.push_back({std::move(text), true}); }
  void Nearly(const std::string& what, const pb::MachineResource& resource) {
    if (resource.capacity() <= 0 || resource.most() < kNearlyFull * resource.capacity()) return;
    Warn(absl::StrFormat("%s: %.0f of %.0f at most", what, resource.most(), resource.capacity()));
  }

  const MachineRows& rows_;
  std::vector<MachineLine>& lines_;
};

}  // namespace

void AddLimitLines(const MachineRows& rows, std::vector<MachineLine>& lines) {
  LimitLines limits(rows, lines);
  limits.Quotas();
  limits.Memory();
  limits.Connections();
  limits.Files();
}

}  // namespace gordian
