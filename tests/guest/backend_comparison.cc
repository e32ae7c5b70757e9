#include "tests/guest/backend_comparison.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr uint32_t kLoopbackInterface = 1;  // the first interface of every network namespace
constexpr uint32_t kDiskMinorBits = 20;

std::string DiskWords(uint32_t device) {
  return absl::StrCat("disk ", device >> kDiskMinorBits, ":",
                      device & ((1u << kDiskMinorBits) - 1));
}

std::string PacketWords(const std::string& sender, uint32_t interface) {
  return absl::StrCat("packet of ", sender, " through interface ", interface);
}

std::string Words(const WaitCause& cause, const std::map<int32_t, std::string>& roles) {
  const auto role = roles.find(cause.tid);
  const std::string who = role == roles.end() ? "somebody else" : role->second;
  switch (cause.kind) {
    case WaitCause::Kind::kUnknown:
      return "nothing that was seen";
    case WaitCause::Kind::kThread:
      return absl::StrCat("thread ", who);
    case WaitCause::Kind::kTimer:
      return "timer";
    case WaitCause::Kind::kDisk:
      return DiskWords(cause.device);
    case WaitCause::Kind::kPacket:
      return PacketWords(who, cause.device);
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

std::set<std::string> WordsOnly(const CausesInWords& causes) {
  std::set<std::string> words;
  for (const auto& [text, count] : causes) words.insert(text);
  return words;
}

}  // namespace

CausesByRole DescribeCauses(const WaitCauses& causes, const WorkloadReport& report) {
  std::map<int32_t, std::string> roles;
  for (const WorkloadThread& thread : report.threads) roles[thread.tid] = thread.role;
  CausesByRole by_role;
  for (const WorkloadThread& thread : report.threads) {
    CausesInWords& in_words = by_role[thread.role];
    for (const auto& [cause, count] : causes.Of(thread.tid)) in_words[Words(cause, roles)] += count;
  }
  return by_role;
}

std::vector<std::string> CheckAgainstWorkload(const CausesByRole& causes,
                                              const WorkloadReport& report) {
  std::vector<std::string> findings;
  for (const WorkloadThread& thread : report.threads) {
    CausesInWords expected;
    if (thread.blocks != 0) expected[ExpectedWords(thread, report)] = thread.blocks;
    const CausesInWords& recorded = CausesOf(causes, thread.role);
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
    const CausesInWords& first = CausesOf(one, thread.role);
    const CausesInWords& second = CausesOf(other, thread.role);
    const bool same = thread.in_turns ? first == second : WordsOnly(first) == WordsOnly(second);
    if (!same) {
      findings.push_back(
          absl::StrCat(thread.role, " was woken ", Listed(first), " against ", Listed(second)));
    }
  }
  return findings;
}

}  // namespace gordian
