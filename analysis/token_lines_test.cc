// SPDX-License-Identifier: Apache-2.0
// Which requests follow each other.
#include "analysis/token_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

class RequestLines : public ::testing::Test {
 protected:
  RequestLines() {
    talk_.trace().Thread(10, "client").Thread(20, "other");
    talk_.At(0, 0).Run(10);
    talk_.At(0, 1).Run(20);
    timeline_ = &talk_.Load();
  }
  Request Asked(const char* client, uint32_t connection, uint64_t start_ns, uint64_t answer_ns,
                bool is_first) const {
    return {.connection = connection,
            .client = talk_.Id(client),
            .start_ns = start_ns,
            .answer_ns = answer_ns,
            .is_first = is_first};
  }
  std::vector<uint32_t> Lines(const std::vector<Request>& requests) const {
    std::vector<const Request*> all;
    for (const Request& request : requests) all.push_back(&request);
    return LinesOf(*timeline_, all);
  }

  TestTalk talk_;
  const Timeline* timeline_ = nullptr;
};

TEST_F(RequestLines, AreConnectionsThatStay) {
  EXPECT_THAT(Lines({Asked("client", 1, 0, 10, true), Asked("client", 2, 5, 15, true),
                     Asked("client", 1, 12, 20, false), Asked("client", 2, 16, 25, false)}),
              ElementsAre(0, 1, 0, 1));
}

TEST_F(RequestLines, GoOnWithTheNextConnectionOfTheSameProgram) {
  EXPECT_THAT(Lines({Asked("client", 1, 0, 10, true), Asked("client", 2, 5, 15, true),
                     Asked("other", 3, 11, 16, true), Asked("client", 4, 11, 20, true),
                     Asked("client", 5, 16, 25, true)}),
              ElementsAre(0, 1, 2, 0, 1));
}

TEST_F(RequestLines, GoOnWithAnotherConnectionBetweenTheSamePorts) {
  EXPECT_THAT(Lines({Asked("client", 1, 0, 10, true), Asked("client", 2, 11, 20, true),
                     Asked("client", 1, 15, 30, true)}),
              ElementsAre(0, 0, 1));
}

TEST_F(RequestLines, OfClientsThatWereNotRecordedEndWithTheirConnections) {
  std::vector<Request> requests = {Asked("client", 1, 0, 10, true),
                                   Asked("client", 2, 11, 20, true)};
  for (Request& request : requests) request.client = kNobody;
  EXPECT_THAT(Lines(requests), ElementsAre(0, 1));
}

}  // namespace
}  // namespace gordian
