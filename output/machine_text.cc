#include "output/machine_text.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kMuchOfIt = 0.05;           // share of a capacity, or of a CPU held back
constexpr double kBytesWorthShowing = 1e6;   // a second, of what has no known capacity
constexpr double kMemoryWorthShowing = 0.9;  // share: memory is there to be used
constexpr double kMuchForInterrupts = 0.2;   // of a CPU
constexpr double kFullForLong = 0.5;         // share of the time

struct Line {
  std::string text;
  bool warns = false;
};

std::string Bytes(double amount) { return FormatSize(static_cast<uint64_t>(amount)); }
std::string Rate(double bytes) { return absl::StrCat(Bytes(bytes), "/s"); }

double FullShare(const pb::MachineResource& resource) {
  return resource.known_s() > 0 ? resource.full_s() / resource.known_s() : 0;
}

std::string FullWords(const pb::MachineResource& resource, const std::string& all) {
  const double full = FullShare(resource);
  return full < kMuchOfIt ? "" : absl::StrCat(", ", all, "for ", PercentText(full), " of the time");
}

// The rows of one node, by what they tell and name.
class NodeLines {
 public:
  void Add(const pb::MachineResource& resource) {
    rows_[resource.what()].emplace(resource.name(), &resource);
  }

  std::vector<Line> Take() {
    Cpus();
    Disks();
    Interfaces();
    Memory();
    Pressure();
    Interrupts("softirq");
    Interrupts("hardirq");
    Quotas();
    return std::move(lines_);
  }

 private:
  using Rows = std::map<std::string, const pb::MachineResource*>;

  const Rows& Of(const std::string& what) const {
    static const Rows kNone;
    const auto found = rows_.find(what);
    return found == rows_.end() ? kNone : found->second;
  }
  const pb::MachineResource* Find(const std::string& what, const std::string& name) const {
    const auto found = Of(what).find(name);
    return found == Of(what).end() ? nullptr : found->second;
  }
  void Say(std::string text, bool warns) { lines_.push_back({std::move(text), warns}); }

  void Cpus() {
    for (const auto& [name, cpus] : Of("cpu")) {
      Say(absl::StrFormat("CPUs: %.2g of %.0f used on average%s", cpus->mean(), cpus->capacity(),
                          FullWords(*cpus, "all of them ")),
          FullShare(*cpus) >= kFullForLong);
    }
  }

  void Disks() {
    for (const auto& [name, disk] : Of("disk")) {
      if (disk->mean() < kMuchOfIt) continue;
      std::string text = absl::StrCat("disk ", CleanText(name), ": busy ",
                                      PercentText(disk->mean()), " of the time");
      const pb::MachineResource* read = Find("disk_read", name);
      const pb::MachineResource* written = Find("disk_write", name);
      if (read != nullptr) absl::StrAppend(&text, ", ", Rate(read->mean()), " read");
      if (written != nullptr) absl::StrAppend(&text, ", ", Rate(written->mean()), " written");
      Say(std::move(text), false);  // busy is not full
    }
  }

  void Interfaces() {
    for (const auto& [name, in] : Of("net_receive")) {
      const pb::MachineResource* out = Find("net_send", name);
      if (out == nullptr) continue;
      const double capacity = in->capacity();
      const double least = capacity > 0 ? kMuchOfIt * capacity : kBytesWorthShowing;
      if (in->mean() < least && out->mean() < least) continue;
      std::string text =
          absl::StrCat(CleanText(name), ": ", Rate(in->mean()), " in, ", Rate(out->mean()), " out");
      if (capacity > 0) absl::StrAppend(&text, " of ", Rate(capacity), " each");
      absl::StrAppend(&text, FullWords(*in, "full inwards "), FullWords(*out, "full outwards "));
      Say(std::move(text), FullShare(*in) >= kFullForLong || FullShare(*out) >= kFullForLong);
    }
  }

  void Memory() {
    for (const auto& [name, memory] : Of("memory")) {
      if (memory->most() < kMemoryWorthShowing * memory->capacity()) continue;
      Say(absl::StrCat("memory: ", Bytes(memory->most()), " of ", Bytes(memory->capacity()),
                       " in use at most"),
          true);
    }
    for (const auto& [name, swap] : Of("swap")) {
      if (swap->most() < kMuchOfIt * swap->capacity()) continue;
      Say(absl::StrCat("swap: ", Bytes(swap->most()), " in use at most"), false);
    }
  }

  // Waits for CPUs and disks are findings' matter, told by thread.
  void Pressure() {
    const pb::MachineResource* some = Find("pressure", "memory/some");
    if (some == nullptr || some->mean() < kMuchOfIt) return;
    const pb::MachineResource* full = Find("pressure", "memory/full");
    Say(absl::StrCat(
            "memory pressure: threads wait for memory ", PercentText(some->mean()), " of the time",
            full == nullptr ? ""
                            : absl::StrCat(", and nothing else runs ", PercentText(full->mean()))),
        true);
  }

  // "cpu3/net_rx"
  void Interrupts(const std::string& what) {
    for (const auto& [name, time] : Of(what)) {
      if (time->mean() < kMuchForInterrupts) continue;
      const size_t slash = name.find('/');
      std::string cpu = name.substr(0, slash);
      if (cpu.starts_with("cpu")) cpu.erase(0, 3);
      const std::string vector = slash == name.npos ? "" : name.substr(slash + 1);
      Say(absl::StrCat("CPU ", CleanText(cpu), ": ", PercentText(time->mean()), " of its time in ",
                       what, " ", CleanText(vector)),
          time->mean() >= kFullForLong);
    }
  }

  void Quotas() {
    for (const auto& [name, held] : Of("cpu_throttled")) {
      if (held->mean() < kMuchOfIt) continue;
      Say(absl::StrFormat("cgroup %s: its quota of %.3g CPUs holds back %.2g CPUs' work on average",
                          CleanText(name), held->capacity(), held->mean()),
          true);
    }
  }

  std::map<std::string, Rows> rows_;
  std::vector<Line> lines_;
};

}  // namespace

void AddMachineText(const pb::Report& report, TextPage& page) {
  std::map<std::string, NodeLines> nodes;
  for (const pb::MachineResource& resource : report.machine()) nodes[resource.node()].Add(resource);
  if (nodes.empty()) return;
  page.Blank();
  page.Headline("Machine", Tone::kStrong);
  for (auto& [name, node] : nodes) {
    std::string label = nodes.size() > 1 ? CleanText(name) : "used";
    for (const Line& line : node.Take()) {
      page.Labelled(label, line.text, line.warns ? Tone::kWarning : Tone::kPlain);
      label.clear();
    }
  }
}

}  // namespace gordian
