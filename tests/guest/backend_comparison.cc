// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/backend_comparison.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr uint32_t kLoopbackInterface = 1;  // the first interface of every network namespace
constexpr uint32_t kDiskMinorBits = 20;
constexpr char kHandedOver[] = "packet handed to ksoftirqd";
constexpr char kUnseen[] = "nothing that was seen";
constexpr uint64_t kRareDivisor = 10;  // rare is up to a tenth

std::string DiskWords(uint32_t device) {
  return absl::StrCat("disk ", device >> kDiskMinorBits, ":",
                      device & ((1u << kDiskMinorBits) - 1));
}

// The kernel's own threads for softirqs that have become too many to be handled on the spot.
bool IsSoftirqThread(const std::string& name) { return name.rfind("ksoftirqd/", 0) == 0; }

std::string PacketWords(const std::string& sender, uint32_t interface) {
  return absl::StrCat("packet of ", sender, " through interface ", interface);
}

std::string NameOf(int32_t tid, const ThreadNames& names) {
  const auto found = names.find(tid);
  return found == names.end() ? "somebody else" : found->second;
}

// `roles` names the workload's threads, `names` all.
std::string Words(const WaitCause& cause, const ThreadNames& roles, const ThreadNames& names) {
  const std::string who = NameOf(cause.tid, roles);
  switch (cause.kind) {
    case WaitCause::Kind::kUnknown:
      return kUnseen;
    case WaitCause::Kind::kThread:
      return absl::StrCat("thread ", who);
    case WaitCause::Kind::kTimer:
      return "timer";
    case WaitCause::Kind::kDisk:
      return DiskWords(cause.device);
    case WaitCause::Kind::kPacket:
      return PacketWords(who, cause.device);
    case WaitCause::Kind::kUnknownPacket:
      return IsSoftirqThread(NameOf(cause.tid, names)) ? std::string(kHandedOver)
                                                       : "packet of unknown sender";
    case WaitCause::Kind::kSoftirq:
      return absl::StrCat("softirq ", cause.vector);
    case WaitCause::Kind::kHardirq:
      return absl::StrCat("hardirq ", cause.vector);
    case WaitCause::Kind::kNmi:
      return "NMI";
  }
  return "";
}

std::string ExpectedWords(const WorkloadThread& thread, const WorkloadReport& report) {
  if (thread.context == "thread") return absl::StrCat("thread ", thread.woken_by);
  if (thread.context == "disk") return DiskWords(report.disk);
  if (thread.context == "net") return PacketWords(thread.woken_by, kLoopbackInterface);
  return thread.context;
}

std::string Listed(const CausesInWords& causes) {
  std::string text;
  for (const auto& [words, count] : causes) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " by ", words);
  }
  return text.empty() ? "never" : text;
}

const CausesInWords& CausesOf(const CausesByRole& causes, const std::string& role) {
  static const CausesInWords kNone;
  const auto found = causes.find(role);
  return found == causes.end() ? kNone : found->second;
}

// Packets handed to ksoftirqd count as their sender's, if they are few.
CausesInWords WithoutHandedOver(CausesInWords causes, const WorkloadThread& thread,
                                const WorkloadReport& report) {
  const auto handed_over = causes.find(kHandedOver);
  if (handed_over != causes.end() && thread.context == "net" &&
      handed_over->second * kRareDivisor <= thread.blocks) {
    causes[ExpectedWords(thread, report)] += handed_over->second;
    causes.erase(handed_over);
  }
  return causes;
}

std::set<std::string> WordsOnly(const CausesInWords& causes) {
  std::set<std::string> words;
  for (const auto& [text, count] : causes) words.insert(text);
  return words;
}

}  // namespace

CausesByRole DescribeCauses(const WaitCauses& causes, const ThreadNames& names,
                            const WorkloadReport& report) {
  ThreadNames roles;
  for (const WorkloadThread& thread : report.threads) roles[thread.tid] = thread.role;
  CausesByRole by_role;
  for (const WorkloadThread& thread : report.threads) {
    CausesInWords& in_words = by_role[thread.role];
    for (const auto& [cause, count] : causes.Of(thread.tid)) {
      in_words[Words(cause, roles, names)] += count;
    }
  }
  return by_role;
}

void ForgiveUnseenWakes(uint64_t skipped_runs, const WorkloadReport& report, CausesByRole& causes) {
  for (const WorkloadThread& thread : report.threads) {
    CausesInWords& of_thread = causes[thread.role];
    const auto unseen = of_thread.find(kUnseen);
    if (unseen == of_thread.end() || unseen->second > skipped_runs) continue;
    skipped_runs -= unseen->second;
    of_thread[ExpectedWords(thread, report)] += unseen->second;
    of_thread.erase(unseen);
  }
}

std::vector<std::string> CheckNames(const ThreadNames& names, const WorkloadReport& report) {
  std::vector<std::string> findings;
  for (const WorkloadThread& thread : report.threads) {
    const std::string name = NameOf(thread.tid, names);
    if (name != thread.role) {
      findings.push_back(absl::StrCat(thread.role, " was taken for ", name));
    }
  }
  return findings;
}

std::vector<std::string> CheckAgainstWorkload(const CausesByRole& causes,
                                              const WorkloadReport& report) {
  std::vector<std::string> findings;
  for (const WorkloadThread& thread : report.threads) {
    CausesInWords expected;
    if (thread.blocks != 0) expected[ExpectedWords(thread, report)] = thread.blocks;
    const CausesInWords recorded = WithoutHandedOver(CausesOf(causes, thread.role), thread, report);
    if (recorded != expected) {
      findings.push_back(absl::StrCat(thread.role, " was woken ", Listed(recorded),
                                      "; the truth is ", Listed(expected)));
    }
    if (thread.in_turns && thread.blocks != thread.operations) {
      findings.push_back(absl::StrCat(thread.role, " blocked ", thread.blocks, " times in ",
                                      thread.operations,
                                      " operations: the workload did not run as it should"));
    }
  }
  return findings;
}

std::vector<std::string> CompareCauses(const CausesByRole& one, const CausesByRole& other,
                                       const WorkloadReport& report) {
  std::vector<std::string> findings;
  for (const WorkloadThread& thread : report.threads) {
    const CausesInWords first = WithoutHandedOver(CausesOf(one, thread.role), thread, report);
    const CausesInWords second = WithoutHandedOver(CausesOf(other, thread.role), thread, report);
    const bool same = thread.in_turns ? first == second : WordsOnly(first) == WordsOnly(second);
    if (!same) {
      findings.push_back(
          absl::StrCat(thread.role, " was woken ", Listed(first), " against ", Listed(second)));
    }
  }
  return findings;
}

}  // namespace gordian
