// SPDX-License-Identifier: Apache-2.0
// Runs of gordian whatif, for tests of the program.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "tests/program.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {

template <typename... Arguments>
ProgramResult WhatIf(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, "whatif", arguments...});
}

inline std::string Written(TraceBuilder t, const std::string& directory) {
  EXPECT_TRUE(t.WriteSession(directory).ok());
  return directory;
}

inline rapidjson::Document Json(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  rapidjson::Document json;
  json.Parse(result.output.data(), result.output.size());
  EXPECT_FALSE(json.HasParseError()) << result.output.substr(0, 300);
  if (!json.IsObject()) json.SetObject();
  return json;
}

}  // namespace gordian::testing
