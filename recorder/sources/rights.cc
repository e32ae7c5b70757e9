// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/rights.h"

#include <linux/capability.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr std::string_view kWholeNamespace = "4294967295";

struct OptionalRight {
  int capability;
  MissingRight missing;
};

// Tried one by one (tests/recording/rights_test.cc). In the order of what they add.
constexpr std::array<OptionalRight, 6> kOptionalRights = {{
    {CAP_SYS_PTRACE,
     {"CAP_SYS_PTRACE", "code and probes of other users' programs", "rights_no_sys_ptrace"}},
    {CAP_SYSLOG, {"CAP_SYSLOG", "names of kernel code", "rights_no_syslog"}},
    {CAP_DAC_READ_SEARCH,
     {"CAP_DAC_READ_SEARCH", "other users' open files", "rights_no_dac_read_search"}},
    {CAP_CHECKPOINT_RESTORE,
     {"CAP_CHECKPOINT_RESTORE", "code of deleted programs", "rights_no_checkpoint_restore"}},
    {CAP_SYS_NICE, {"CAP_SYS_NICE", "priority on a full machine", "rights_no_sys_nice"}},
    {CAP_SYS_ADMIN,
     {"CAP_SYS_ADMIN", "containers' interfaces and exact costs", "rights_no_sys_admin"}},
}};

bool Has(const Rights& rights, int capability) {
  return rights.in_first_user_namespace && ((rights.capabilities >> capability) & 1) != 0;
}

// The kernel takes the older CAP_SYS_ADMIN for each of the newer ones that were split off it.
bool HasOrAdmin(const Rights& rights, int capability) {
  return Has(rights, capability) || Has(rights, CAP_SYS_ADMIN);
}

bool IsGiven(const Rights& rights, int capability) {
  if (capability == CAP_SYSLOG)
    return rights.kernel_addresses_open || HasOrAdmin(rights, capability);
  if (capability == CAP_CHECKPOINT_RESTORE) return HasOrAdmin(rights, capability);
  return Has(rights, capability);
}

// The value of "CapEff:\t000001ffffffffff"; 0 if there is none.
uint64_t EffectiveIn(std::string_view status) {
  while (!status.empty()) {
    std::string_view line = TakeLine(status);
    if (TakeField(line) != "CapEff:") continue;
    const std::string_view digits = TakeField(line);
    uint64_t bits = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    return bits;
  }
  return 0;
}

// "0 0 4294967295": each user is himself.
bool IsFirstUserNamespace(const SystemPaths& paths) {
  const auto map = ReadSmallFile(paths.proc + "/self/uid_map");
  if (!map) return true;
  std::string_view rest = *map;
  return TakeField(rest) == "0" && TakeField(rest) == "0" && TakeField(rest) == kWholeNamespace;
}

std::optional<int> SettingOf(const SystemPaths& paths, const char* name) {
  const auto text = ReadSmallFile(paths.proc + "/sys/kernel/" + name);
  int value = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

}  // namespace

Rights ReadRights(const SystemPaths& paths) {
  Rights rights;
  rights.is_root = geteuid() == 0;
  rights.capabilities = EffectiveIn(ReadSmallFile(paths.proc + "/self/status").value_or(""));
  rights.in_first_user_namespace = IsFirstUserNamespace(paths);
  rights.kernel_addresses_open = SettingOf(paths, "kptr_restrict").value_or(1) == 0 &&
                                 SettingOf(paths, "perf_event_paranoid").value_or(2) <= 1;
  return rights;
}

absl::Status CheckMayRecord(const Rights& rights) {
  if (HasOrAdmin(rights, CAP_BPF) && HasOrAdmin(rights, CAP_PERFMON)) return absl::OkStatus();
  if (!rights.in_first_user_namespace)
    return absl::PermissionDeniedError(
        "recording needs the rights of the host's root, which a user namespace does not give; "
        "record outside of it, with sudo");
  if (rights.is_root)
    return absl::PermissionDeniedError(
        "recording needs CAP_BPF and CAP_PERFMON, which this root lacks; give them to the "
        "container (--cap-add=BPF --cap-add=PERFMON), or record on the host");
  return absl::PermissionDeniedError(
      "recording needs root, or CAP_BPF and CAP_PERFMON; run it with sudo, or ask a gordiand: "
      "gordian start (gordian-record(1), RIGHTS)");
}

std::vector<MissingRight> MissingRights(const Rights& rights) {
  std::vector<MissingRight> missing;
  for (const OptionalRight& right : kOptionalRights)
    if (!IsGiven(rights, right.capability)) missing.push_back(right.missing);
  return missing;
}

std::string TextOfMissing(const std::vector<MissingRight>& missing) {
  if (missing.empty()) return "";
  std::string text = "without root's rights the recording lacks ";
  for (size_t i = 0; i < missing.size(); ++i) {
    const char* joint = i == 0 ? "" : i + 1 == missing.size() ? " and " : ", ";
    absl::StrAppend(&text, joint, std::string(missing[i].loss));
  }
  return text + " (gordian-record(1), RIGHTS)";
}

}  // namespace gordian
