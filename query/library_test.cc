// SPDX-License-Identifier: Apache-2.0
#include "query/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "query/query.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

TEST(SavedQueries, AreThirtyOrMoreInOrderOfNames) {
  const auto queries = SavedQueries();
  EXPECT_GE(queries.size(), 30U);
  EXPECT_TRUE(
      std::is_sorted(queries.begin(), queries.end(),
                     [](const SavedQuery& a, const SavedQuery& b) { return a.name < b.name; }));
  for (const SavedQuery& query : queries) {
    EXPECT_EQ(SavedQueryNamed(query.name), &query);
    EXPECT_FALSE(query.about.empty());
  }
  EXPECT_EQ(SavedQueryNamed("none"), nullptr);
}

TEST(SavedQueries, CanBeAskedOfAnyRecording) {
  const QueryRecording figure("figure1.txt");
  QueryDatabase database = DatabaseOf({&figure.analysis()});
  for (const SavedQuery& query : SavedQueries())
    EXPECT_TRUE(FailureOf(database, query.sql).ok()) << FailureOf(database, query.sql);
}

// The first row, of recordings small enough to check by hand.
struct KnownAnswer {
  const char* query;
  const char* scenario;
  const char* first_row;
};

class KnownAnswers : public ::testing::TestWithParam<KnownAnswer> {};

TEST_P(KnownAnswers, AreGiven) {
  const QueryRecording recording(GetParam().scenario);
  QueryDatabase database = DatabaseOf({&recording.analysis()});
  const auto rows = AskOf(database, SavedQueryNamed(GetParam().query)->sql);
  ASSERT_FALSE(rows.empty()) << GetParam().query;
  EXPECT_EQ(rows.front(), GetParam().first_row) << GetParam().query;
}

INSTANTIATE_TEST_SUITE_P(
    SavedQueries, KnownAnswers,
    ::testing::Values(KnownAnswer{"births", "short_lived.txt", "main|1|3"},
                      KnownAnswer{"disk-times", "figure1.txt", "vda|write|2|5|5|5"},
                      KnownAnswer{"disk-users", "figure1.txt", "B|2|write|2|131072"},
                      KnownAnswer{"edges-by-kind", "figure1.txt", "wake|3"},
                      KnownAnswer{"first-second", "figure1.txt", "A|B|16|2"},
                      KnownAnswer{"heaviest-edges", "figure1.txt", "B|vda|20|10"},
                      KnownAnswer{"longest-runs", "figure1.txt", "B|2|0|5|0"},
                      KnownAnswer{"longest-waits", "figure1.txt", "A|1|2|8|B"},
                      KnownAnswer{"mutual-waits", "figure1.txt", "B|vda|10|10"},
                      KnownAnswer{"never-ended-waits", "starved.txt", "hog|3|20"},
                      KnownAnswer{
                          "overview", "figure1.txt",
                          "20|B and the disk vda hold each other up: when one works, the other "
                          "waits.|2|14|0|26|0|"},
                      KnownAnswer{"packets-by-interface", "interfaces.txt", "|eth0|sent|4|1000"},
                      KnownAnswer{"short-lives", "short_lived.txt", "work|3|10"},
                      KnownAnswer{"time-by-container", "figure1.txt", "|2|14|26"},
                      KnownAnswer{"time-by-cpu", "figure1.txt", "0|10|1"},
                      KnownAnswer{"time-by-kind", "figure1.txt", "wait|5|26"},
                      KnownAnswer{"time-by-node", "figure1.txt", "|2|14|26"},
                      KnownAnswer{"time-by-process", "figure1.txt", "B|1|10|0|10"},
                      KnownAnswer{"top-edges", "figure1.txt", "A|B|16|16|2|8"},
                      KnownAnswer{"top-runnable", "spins.txt", "X|1|X|2"},
                      KnownAnswer{"top-spinners", "spins.txt", "X|1|X|11"},
                      KnownAnswer{"top-threads", "figure1.txt", "B|2|B|10|10"},
                      KnownAnswer{"top-waiters", "figure1.txt", "A|1|A|16"},
                      KnownAnswer{"top-wakers", "figure1.txt", "B|2|3"},
                      KnownAnswer{"wait-causes", "figure1.txt", "thread|3|16"}));

}  // namespace
}  // namespace gordian
