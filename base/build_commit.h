// SPDX-License-Identifier: Apache-2.0
// Which state of the sources this program was built from.
#pragma once

#include <string>
#include <string_view>

namespace gordian {

// The commit, "-dirty" behind it if files had changed since; empty if the sources were no
// repository.
std::string_view BuildCommit();

// "gordian 0.1.0 (commit 1a2b3c4d5e6f)"
inline std::string VersionText(std::string_view program_and_version) {
  std::string text(program_and_version);
  if (!BuildCommit().empty()) text.append(" (commit ").append(BuildCommit()).append(")");
  return text;
}

}  // namespace gordian
