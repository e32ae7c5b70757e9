// SPDX-License-Identifier: Apache-2.0
#include "output/machine_text.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "output/machine_rows.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kMuchOfIt = 0.05;           // share of a capacity, or of a CPU held back
constexpr double kBytesWorthShowing = 1e6;   // a second, of what has no known capacity
constexpr double kMemoryWorthShowing = 0.9;  // share: memory is there to be used
constexpr double kMuchForInterrupts = 0.2;   // of a CPU
constexpr double kFullForLong = 0.5;         // share of the time

std::string FullWords(const pb::MachineResource& resource, const std::string& all) {
  const double full = FullShare(resource);
  return full < kMuchOfIt ? "" : absl::StrCat(", ", all, "for ", PercentText(full), " of the time");
}

// Of a rate whose limit nobody knows: only whether it stayed at its highest.
std::string HighestWords(const pb::MachineResource& resource, const std::string& where) {
  if (resource.mean() < kBytesWorthShowing || HighestShare(resource) < kFullForLong) return "";
  return absl::StrCat(", ", where, " at its highest rate for ", PercentText(HighestShare(resource)),
                      " of the time");
}

// The rows of one node as lines.
class NodeLines {
 public:
  void Add(const pb::MachineResource& resource) { rows_.Add(resource); }

  std::vector<MachineLine> Take() {
    Cpus();
    Disks();
    Interfaces();
    Memory();
    Pressure();
    Interrupts("softirq");
    Interrupts("hardirq");
    AddLimitLines(rows_, lines_);
    return std::move(lines_);
  }

 private:
  void Say(std::string text, bool warns) { lines_.push_back({std::move(text), warns}); }

  void Cpus() {
    for (const auto& [name, cpus] : rows_.Of("cpu")) {
      Say(absl::StrFormat("CPUs: %.2g of %.0f used on average%s", cpus->mean(), cpus->capacity(),
                          FullWords(*cpus, "all of them ")),
          FullShare(*cpus) >= kFullForLong);
    }
  }

  // A throttled disk may be idle meanwhile.
  bool MeetsTold(const std::string& disk) const {
    for (const char* what : {"disk_bytes", "disk_operations"}) {
      const pb::MachineResource* told = rows_.Find(what, disk);
      if (told != nullptr && FullShare(*told) >= kMuchOfIt) return true;
    }
    return false;
  }

  void Disks() {
    for (const auto& [name, disk] : rows_.Of("disk")) {
      if (disk->mean() < kMuchOfIt && !MeetsTold(name)) continue;
      std::string text = absl::StrCat("disk ", CleanText(name), ": busy ",
                                      PercentText(disk->mean()), " of the time");
      const pb::MachineResource* read = rows_.Find("disk_read", name);
      const pb::MachineResource* written = rows_.Find("disk_write", name);
      if (read != nullptr) absl::StrAppend(&text, ", ", ByteRateText(read->mean()), " read");
      if (written != nullptr)
        absl::StrAppend(&text, ", ", ByteRateText(written->mean()), " written");
      bool is_full = false;  // busy is not full
      for (const char* what : {"disk_bytes", "disk_operations"}) {
        const pb::MachineResource* told = rows_.Find(what, name);
        if (told == nullptr || told->capacity() == 0) continue;
        const bool is_bytes = told->what() == "disk_bytes";
        absl::StrAppend(&text, is_bytes ? ", of " : absl::StrFormat(", %.0f of ", told->mean()),
                        is_bytes ? ByteRateText(told->capacity())
                                 : absl::StrFormat("%.0f operations a second", told->capacity()),
                        FullWords(*told, "full "));
        is_full |= FullShare(*told) >= kFullForLong;
      }
      Say(std::move(text), is_full);
    }
  }

  void Interfaces() {
    for (const auto& [name, in] : rows_.Of("net_receive")) {
      const pb::MachineResource* out = rows_.Find("net_send", name);
      if (out == nullptr) continue;
      const double capacity = in->capacity();
      const double least = capacity > 0 ? kMuchOfIt * capacity : kBytesWorthShowing;
      if (in->mean() < least && out->mean() < least) continue;
      std::string text = absl::StrCat(CleanText(name), ": ", ByteRateText(in->mean()), " in, ",
                                      ByteRateText(out->mean()), " out");
      if (capacity > 0) absl::StrAppend(&text, " of ", ByteRateText(capacity), " each");
      if (capacity == 0) {
        absl::StrAppend(&text, HighestWords(*in, "inwards"), HighestWords(*out, "outwards"));
        Say(std::move(text), false);
        continue;
      }
      absl::StrAppend(&text, FullWords(*in, "full inwards "), FullWords(*out, "full outwards "));
      Say(std::move(text), FullShare(*in) >= kFullForLong || FullShare(*out) >= kFullForLong);
    }
  }

  void Memory() {
    for (const auto& [name, memory] : rows_.Of("memory")) {
      if (memory->most() < kMemoryWorthShowing * memory->capacity()) continue;
      Say(absl::StrCat("memory: ", BytesText(memory->most()), " of ", BytesText(memory->capacity()),
                       " in use at most"),
          true);
    }
    for (const auto& [name, swap] : rows_.Of("swap")) {
      if (swap->most() < kMuchOfIt * swap->capacity()) continue;
      Say(absl::StrCat("swap: ", BytesText(swap->most()), " in use at most"), false);
    }
  }

  // Waits for CPUs and disks are findings' matter, told by thread.
  void Pressure() {
    const pb::MachineResource* some = rows_.Find("pressure", "memory/some");
    if (some == nullptr || some->mean() < kMuchOfIt) return;
    const pb::MachineResource* full = rows_.Find("pressure", "memory/full");
    Say(absl::StrCat(
            "memory pressure: threads wait for memory ", PercentText(some->mean()), " of the time",
            full == nullptr ? ""
                            : absl::StrCat(", and nothing else runs ", PercentText(full->mean()))),
        true);
  }

  // "cpu3/net_rx"
  void Interrupts(const std::string& what) {
    for (const auto& [name, time] : rows_.Of(what)) {
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

  MachineRows rows_;
  std::vector<MachineLine> lines_;
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
    for (const MachineLine& line : node.Take()) {
      page.Labelled(label, line.text, line.warns ? Tone::kWarning : Tone::kPlain);
      label.clear();
    }
  }
}

}  // namespace gordian
