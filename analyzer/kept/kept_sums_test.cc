// SPDX-License-Identifier: Apache-2.0
// Sums from the store give the graphs that the kept ones gave.
#include "analyzer/kept/kept_sums.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/literal_graph.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

class KeptSumsFolder {
 public:
  KeptSumsFolder() : store_(*Store::Open({.folder = folder_ / "store", .keep_free_bytes = 0})) {}

  absl::StatusOr<KeptSums> Kept(const WindowSumsView& sums) const {
    const StoreKey key{.recording = "01", .stage = "sums", .format = 1, .options = ""};
    auto writer = store_.Begin(key, "/recording");
    EXPECT_TRUE(writer.ok()) << writer.status();
    KeepSums(sums, *writer);
    EXPECT_TRUE(writer->Commit().ok());
    return KeptSums::Of(*store_.Find(key));
  }
  const TemporaryDirectory& folder() const { return folder_; }

 private:
  const TemporaryDirectory folder_;
  const Store store_;
};

RC_GTEST_PROP(KeptSumsOfWindows, GiveTheSameGraphOfAnyRange, ()) {
  const KeptSumsFolder folder;
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  WriteScenario(ParseScenario(RandomScenario(seed, *rc::gen::inRange(10, 300))),
                folder.folder() / "s", 3);
  auto session = SessionReader::Open(folder.folder() / "s");
  RC_ASSERT(session.ok());
  const auto timeline = LoadTimeline(
      **session, {.threads = 1, .events_per_window = *rc::gen::inRange<size_t>(1, 40)});
  RC_ASSERT(timeline.ok());
  const Waits waits(*timeline, {.threads = 1});
  const WindowSums sums(waits, {.bytes_per_event = *rc::gen::element(0., 1., 1e6), .threads = 1});
  const auto kept = folder.Kept(sums.view());
  RC_ASSERT(kept.ok());
  for (int i = 0; i < 4; ++i) {
    const auto from_ns = *rc::gen::inRange(timeline->start_ns(), timeline->end_ns() + 1);
    const auto to_ns = *rc::gen::inRange(from_ns, timeline->end_ns() + 1);
    const WaitForGraphOptions range = {.from_ns = from_ns, .to_ns = to_ns, .threads = 1};
    RC_ASSERT(Difference(GraphOver(waits, kept->view(), range),
                         GraphOver(waits, sums.view(), range)) == "");
  }
}

TEST(KeptSumsOfWindows, CanBeOfNoWindows) {
  const KeptSumsFolder folder;
  const auto kept = folder.Kept(WindowSums().view());
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->view().windows(), 0u);
}

TEST(KeptSumsOfWindows, AreRefusedIfTheyContradictThemselves) {
  const KeptSumsFolder folder;
  const std::vector<uint64_t> borders_ns = {0, 10};
  const std::vector<uint64_t> links = {0};
  const std::vector<uint64_t> none = {0};
  const std::vector<uint64_t> more = {1};
  const WindowSumsView empty_window{.borders_ns = borders_ns,
                                    .edges = {{}, none},
                                    .straddlers = {{}, none},
                                    .cyclic_links = links,
                                    .ledgers = {{}, none},
                                    .devices = {{}, none},
                                    .work = {{}, none},
                                    .ended_idle = {{}, none}};
  EXPECT_TRUE(folder.Kept(empty_window).ok());
  WindowSumsView sums = empty_window;
  sums.edges.ends = more;  // of a row that is not there
  EXPECT_TRUE(absl::IsDataLoss(folder.Kept(sums).status()));
  sums = empty_window;
  sums.ledgers.ends = {};
  EXPECT_TRUE(absl::IsDataLoss(folder.Kept(sums).status()));
  sums = empty_window;
  sums.borders_ns = links;
  EXPECT_TRUE(absl::IsDataLoss(folder.Kept(sums).status()));
}

}  // namespace
}  // namespace gordian
