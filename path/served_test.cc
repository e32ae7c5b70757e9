// SPDX-License-Identifier: Apache-2.0
// Whether a process' commands are for clients outside of it.
#include "path/served.h"

#include <gtest/gtest.h>

#include <vector>

#include "path/test_jobs.h"

namespace gordian {
namespace {

// CGI: ten commands of a web server, which a client asks `asked` times.
ServedOutsiders ServedOf(uint64_t asked, bool client_is_of_job = false) {
  constexpr int kClient = 2;
  JobTrace job;
  job.Alive(1, "httpd");
  if (!client_is_of_job) job.Alive(kClient, "client");
  job.Run(0, 1, 0, 10);
  if (client_is_of_job) job.Fork(5, 1, kClient, "client").Run(1, kClient, 6, 9);
  for (int i = 0; i < 10; ++i) {
    const auto at_ns = 20 + static_cast<uint64_t>(i) * 100;
    job.Command(0, 1, 20 + i, "perl", at_ns, at_ns + 80);
  }
  const ScenarioTimeline trace(job.End(1100).Text());
  const JobProcesses processes(trace.timeline());
  JobPathOptions options{.from_ns = trace.timeline().start_ns(),
                         .to_ns = trace.timeline().end_ns()};
  options.is_target.assign(trace.timeline().thread_count(), 0);
  options.is_target[trace.Id("httpd")] = 1;
  const std::vector<QuestionCount> questions = {{trace.Id("client"), trace.Id("httpd"), asked}};
  return FindServed(trace.timeline(), questions, processes,
                    FindJob(trace.timeline(), processes, options));
}

TEST(ServedOutsiders, AreThoseWhoAskWhoBeginsACommandForEach) {
  EXPECT_EQ(ServedOf(10).processes, 10u);
  EXPECT_EQ(ServedOf(10).busy_ns, 800u);
}

TEST(ServedOutsiders, AskAboutAsOftenAsACommandBegins) {
  EXPECT_EQ(ServedOf(0).processes, 0u);
  EXPECT_EQ(ServedOf(1).processes, 0u);
}

TEST(ServedOutsiders, AreNotOfTheJob) {
  EXPECT_EQ(ServedOf(10, /*client_is_of_job=*/true).processes, 0u);
}

}  // namespace
}  // namespace gordian
