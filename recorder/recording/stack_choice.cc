// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"

namespace gordian {

const char* StackChoiceText(StackChoice choice) {
  switch (choice) {
    case StackChoice::kOff:
      return "off";
    case StackChoice::kSampled:
      return "sampled";
    case StackChoice::kAll:
      return "all";
  }
  return "unknown";
}

absl::StatusOr<StackChoice> ParseStackChoice(std::string_view text) {
  if (text.empty()) return StackChoice::kOff;
  for (const StackChoice choice : {StackChoice::kOff, StackChoice::kSampled, StackChoice::kAll})
    if (text == StackChoiceText(choice)) return choice;
  return absl::InvalidArgumentError(
      absl::StrCat("stacks '", std::string(text), "' are unknown; use off, sampled or all"));
}

}  // namespace gordian
