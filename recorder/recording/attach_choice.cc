// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"

namespace gordian {

const char* AttachChoiceText(AttachChoice choice) {
  switch (choice) {
    case AttachChoice::kAuto:
      return "auto";
    case AttachChoice::kTracepoint:
      return "tracepoint";
    case AttachChoice::kKprobe:
      return "kprobe";
    case AttachChoice::kFentry:
      return "fentry";
  }
  return "unknown";
}

absl::StatusOr<AttachChoice> ParseAttachChoice(std::string_view text) {
  if (text.empty()) return AttachChoice::kAuto;
  for (const AttachChoice choice : {AttachChoice::kAuto, AttachChoice::kTracepoint,
                                    AttachChoice::kKprobe, AttachChoice::kFentry})
    if (text == AttachChoiceText(choice)) return choice;
  return absl::InvalidArgumentError(absl::StrCat("no attach backend is called '",
                                                 absl::CHexEscape({text.data(), text.size()}),
                                                 "'; use auto, tracepoint, kprobe or fentry"));
}

}  // namespace gordian
