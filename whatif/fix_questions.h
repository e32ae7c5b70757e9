// SPDX-License-Identifier: Apache-2.0
// The natural fixes of a finding as questions that `gordian whatif` understands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/report.pb.h"
#include "whatif/ask/ask.h"

namespace gordian {

struct FixQuestion {
  std::string change;     // --lock 'worker->worker', quoted for a shell
  std::string condition;  // as a sentence goes on: "if …"
  std::string advice;     // a sentence that the finding itself does not have
  WhatIfRequest request;
  // It takes waiting away, instead of making something twice as fast: only such gains can be
  // compared with each other.
  bool of_wait = true;
  // To be tried only if many wakes of that vertex are for nothing.
  std::optional<uint32_t> if_woken_for_nothing;
};

struct FixQuestions {
  std::vector<FixQuestion> questions;  // in the order in which they are worth asking
  std::string none_because;            // without any
};

// The finding tells the fix (kinds/*.cc in analyzer/findings). Here its vertices get the names by
// which gordian whatif finds them, in scripts or typed by hand.
FixQuestions QuestionsOf(const pb::Report& report, const pb::Finding& finding);

// 'text' for a shell.
std::string ShellQuoted(const std::string& text);

}  // namespace gordian
