// SPDX-License-Identifier: Apache-2.0
#include "query/library.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "query/library/saved_queries.h"

namespace gordian {
namespace {

// The second line of a file is a comment that tells what the query is good for.
SavedQuery QueryOf(const char* name, std::string_view text) {
  constexpr std::string_view kComment = "\n-- ";
  const size_t begin = text.find(kComment) + kComment.size();
  const size_t end = text.find('\n', begin);
  return {name, std::string(text.substr(begin, end - begin)), std::string(text)};
}

}  // namespace

std::span<const SavedQuery> SavedQueries() {
  static const std::vector<SavedQuery> queries = {
      QueryOf("births", embedded::births_sql),
      QueryOf("disk-times", embedded::disk_times_sql),
      QueryOf("disk-users", embedded::disk_users_sql),
      QueryOf("edges-by-kind", embedded::edges_by_kind_sql),
      QueryOf("findings", embedded::findings_sql),
      QueryOf("first-second", embedded::first_second_sql),
      QueryOf("heaviest-edges", embedded::heaviest_edges_sql),
      QueryOf("longest-runs", embedded::longest_runs_sql),
      QueryOf("longest-starvation", embedded::longest_starvation_sql),
      QueryOf("longest-waits", embedded::longest_waits_sql),
      QueryOf("losses", embedded::losses_sql),
      QueryOf("migrations", embedded::migrations_sql),
      QueryOf("mutual-waits", embedded::mutual_waits_sql),
      QueryOf("never-ended-waits", embedded::never_ended_waits_sql),
      QueryOf("overview", embedded::overview_sql),
      QueryOf("packets-by-interface", embedded::packets_by_interface_sql),
      QueryOf("short-lives", embedded::short_lives_sql),
      QueryOf("slowest-messages", embedded::slowest_messages_sql),
      QueryOf("time-by-container", embedded::time_by_container_sql),
      QueryOf("time-by-cpu", embedded::time_by_cpu_sql),
      QueryOf("time-by-kind", embedded::time_by_kind_sql),
      QueryOf("time-by-node", embedded::time_by_node_sql),
      QueryOf("time-by-process", embedded::time_by_process_sql),
      QueryOf("top-edges", embedded::top_edges_sql),
      QueryOf("top-functions", embedded::top_functions_sql),
      QueryOf("top-locks", embedded::top_locks_sql),
      QueryOf("top-runnable", embedded::top_runnable_sql),
      QueryOf("top-spinners", embedded::top_spinners_sql),
      QueryOf("top-threads", embedded::top_threads_sql),
      QueryOf("top-waiters", embedded::top_waiters_sql),
      QueryOf("top-wakers", embedded::top_wakers_sql),
      QueryOf("wait-causes", embedded::wait_causes_sql),
      QueryOf("wait-objects", embedded::wait_objects_sql),
      QueryOf("waits-for-themselves", embedded::waits_for_themselves_sql),
  };
  return queries;
}

const SavedQuery* SavedQueryNamed(std::string_view name) {
  const auto queries = SavedQueries();
  const auto found = std::find_if(queries.begin(), queries.end(),
                                  [name](const SavedQuery& query) { return query.name == name; });
  return found == queries.end() ? nullptr : &*found;
}

std::string SavedQueriesText() {
  size_t width = 0;
  for (const SavedQuery& query : SavedQueries()) width = std::max(width, query.name.size());
  std::string text;
  for (const SavedQuery& query : SavedQueries()) {
    absl::StrAppend(&text, query.name, std::string(width + 2 - query.name.size(), ' '), query.about,
                    "\n");
  }
  return text;
}

}  // namespace gordian
