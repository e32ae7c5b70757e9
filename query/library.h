// SPDX-License-Identifier: Apache-2.0
// Saved queries: each answers a question that people often have (query/library/NAME.sql).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gordian {

struct SavedQuery {
  std::string name;   // as --run takes it
  std::string about;  // a line for people
  std::string sql;
};

// In order of names.
std::span<const SavedQuery> SavedQueries();
// Null if there is none.
const SavedQuery* SavedQueryNamed(std::string_view name);
// A line for each.
std::string SavedQueriesText();

}  // namespace gordian
