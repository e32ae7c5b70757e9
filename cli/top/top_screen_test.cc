// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/bars.h"
#include "cli/top/test_moment.h"
#include "cli/top/top_screen_page.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TopState StateFor(const LiveMoment& moment) {
  TopState state;
  state.letters.Take(moment.frame);
  return state;
}

// The screen is as in the file. Where it shall change, GORDIAN_WRITE_SCREENS=1 writes it anew.
void ExpectScreen(const std::string& screen, const std::string& name) {
  const std::string path = std::string(GORDIAN_SCREENS) + "/" + name + ".txt";
  if (std::getenv("GORDIAN_WRITE_SCREENS") != nullptr) std::ofstream(path) << screen;
  std::ifstream file(path);
  EXPECT_EQ(screen, std::string(std::istreambuf_iterator<char>(file), {})) << path;
}

// As many lines as rows, and none wider than the screen.
void ExpectFits(const ScreenPage& page, const ScreenSize& size) {
  if (size.rows > 0) {
    EXPECT_EQ(page.lines.size(), size.rows);
  }
  for (const ScreenLine& line : page.lines)
    EXPECT_LE(DisplayWidth(line.Text()), size.columns) << line.Text();
}

TEST(TopScreen, TellsTheLimitFirstInAnySize) {
  const LiveMoment moment = MadeMoment();
  const TopState state = StateFor(moment);
  ExpectScreen(DrawTop(&moment, state, {.columns = 80, .rows = 24}).Text(), "overview_80x24");
  ExpectScreen(DrawTop(&moment, state, {.columns = 120, .rows = 40}).Text(), "overview_120x40");
  ExpectScreen(DrawTop(&moment, state, {.columns = 40, .rows = 10}).Text(), "overview_40x10");
  ExpectScreen(
      DrawTop(&moment, state, {.columns = 80, .rows = 24, .charset = Charset::kAscii}).Text(),
      "overview_ascii");
}

TEST(TopScreen, ShowsAVertexFromInside) {
  const LiveMoment moment = MadeMoment();
  TopState state = StateFor(moment);
  EXPECT_EQ(ApplyKey(TopKey::kDown, &moment, state), TopAction::kNone);
  ApplyKey(TopKey::kEnter, &moment, state);
  ExpectScreen(DrawTop(&moment, state, {.columns = 80, .rows = 30}).Text(), "vertex_80x30");
}

TEST(TopScreen, IsReadableWithoutAFrame) {
  TopState state;
  state.message = "waiting for the first second of the recording …";
  const ScreenSize size = {.columns = 60, .rows = 8};
  const ScreenPage page = DrawTop(nullptr, state, size);
  ExpectFits(page, size);
  EXPECT_THAT(page.Text(), StartsWith("waiting for the first second"));
}

TEST(TopScreen, TellsThatNothingLimits) {
  LiveMoment moment;
  moment.frame.set_verdict("Nothing holds the target up.");
  const ScreenSize size = {.columns = 60, .rows = 12};
  const ScreenPage page = DrawTop(&moment, StateFor(moment), size);
  ExpectFits(page, size);
  EXPECT_THAT(page.Text(),
              AllOf(StartsWith("Nothing holds the target up."), HasSubstr("NOTHING WAITS")));
}

TEST(TopScreen, TellsThatTheRecordingHasEnded) {
  LiveMoment moment = MadeMoment();
  moment.frame.set_ended(true);
  moment.frame.mutable_nodes(0)->set_because("command ended");
  EXPECT_THAT(DrawTop(&moment, StateFor(moment), {}).Text(), HasSubstr("ended: command ended"));
}

TEST(TopScreen, TellsWhatMayChangeTheAnswerWithASign) {
  LiveMoment moment = MadeMoment();
  EXPECT_THAT(DrawTop(&moment, StateFor(moment), {}).Text(),
              AllOf(HasSubstr("nothing lost"), Not(HasSubstr("! "))));
  moment.frame.mutable_quality()->set_lost(1203);
  moment.frame.mutable_quality()->set_unknown_share(0.4);
  moment.frame.mutable_nodes(0)->set_state("lost");
  EXPECT_THAT(DrawTop(&moment, StateFor(moment), {}).Text(),
              AllOf(HasSubstr("! node vm lost"), HasSubstr("! 1,203 records lost"),
                    HasSubstr("! 40 % unknown")));
}

TEST(TopScreen, ShowsParticipationWhereItIsKnown) {
  LiveMoment moment = MadeMoment();
  moment.frame.mutable_vertices(0)->set_participation(0.75);
  EXPECT_THAT(DrawTop(&moment, StateFor(moment), {}).Text(),
              AllOf(HasSubstr("ON THE CRITICAL PATHS"), HasSubstr("75 %")));
}

TEST(TopScreen, HostileNamesStayInTheirPlace) {
  const std::string wide = "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字";
  for (const std::string& name :
       {std::string("\x1b[2J\x1b[31mred\r\n"), std::string(300, 'x'), wide + wide,
        std::string("e\xcc\x81\xcc\x81\xcc\x81"), std::string("\xe2\x80\xaeright to left"),
        std::string("\xff\xfe")}) {
    const LiveMoment moment = MadeMoment(name, name + "2");
    TopState state = StateFor(moment);
    for (const ScreenSize size : {ScreenSize{}, ScreenSize{.columns = 40, .rows = 10},
                                  ScreenSize{.charset = Charset::kAscii}}) {
      const ScreenPage page = DrawTop(&moment, state, size);
      ExpectFits(page, size);
      EXPECT_THAT(page.Text(), Not(HasSubstr("\x1b")));
    }
    state.path = {name};
    state.chosen_before = {std::nullopt};
    ExpectFits(DrawTop(&moment, state, {}), {});
  }
}

RC_GTEST_PROP(TopScreen, FitsIntoAnySizeWhateverIsPressed, (const std::string& name)) {
  const LiveMoment moment = MadeMoment(name, "other");
  TopState state = StateFor(moment);
  const ScreenSize size = {.columns = *rc::gen::inRange<size_t>(1, 200),
                           .rows = *rc::gen::inRange<size_t>(1, 60),
                           .charset = *rc::gen::element(Charset::kUnicode, Charset::kAscii)};
  const auto keys = *rc::gen::container<std::vector<int>>(
      rc::gen::inRange(0, static_cast<int>(TopKey::kQuit) + 1));
  for (const int key : keys) {
    ApplyKey(static_cast<TopKey>(key), &moment, state);
    const ScreenPage page = DrawTop(&moment, state, size);
    state.scroll = page.scrolled;
    RC_ASSERT(page.lines.size() == size.rows);
    for (const ScreenLine& line : page.lines) RC_ASSERT(DisplayWidth(line.Text()) <= size.columns);
  }
}

TEST(TopKeys, GoIntoWhatAWaitIsForAndBack) {
  const LiveMoment moment = MadeMoment();
  TopState state = StateFor(moment);
  ApplyKey(TopKey::kDown, &moment, state);
  ApplyKey(TopKey::kDown, &moment, state);
  EXPECT_EQ(state.chosen, (TopChoice{"writer (4 threads)", "vda"}));
  ApplyKey(TopKey::kEnter, &moment, state);
  EXPECT_THAT(state.path, ::testing::ElementsAre("vda"));
  EXPECT_THAT(DrawTop(&moment, state, {}).Text(), AllOf(StartsWith("vda"), HasSubstr("busy 47 %")));
  ApplyKey(TopKey::kBack, &moment, state);
  EXPECT_TRUE(state.path.empty());
  EXPECT_EQ(state.chosen, (TopChoice{"writer (4 threads)", "vda"}));
}

TEST(TopKeys, ChangeTheWindowByKnownSteps) {
  const LiveMoment moment = MadeMoment();
  TopState state = StateFor(moment);
  EXPECT_EQ(ApplyKey(TopKey::kLongerWindow, &moment, state), TopAction::kSetWindow);
  EXPECT_EQ(state.window_ns, 20'000'000'000);
  for (int i = 0; i < 9; ++i) ApplyKey(TopKey::kShorterWindow, &moment, state);
  EXPECT_EQ(state.window_ns, 1'000'000'000);
  EXPECT_EQ(ApplyKey(TopKey::kShorterWindow, &moment, state), TopAction::kNone);
}

TEST(TopKeys, ThatNeedAFrameDoNothingWithoutOne) {
  TopState state;
  for (const TopKey key : {TopKey::kUp, TopKey::kDown, TopKey::kEnter, TopKey::kFreeze})
    EXPECT_EQ(ApplyKey(key, nullptr, state), TopAction::kNone);
  EXPECT_FALSE(state.is_frozen);
  EXPECT_EQ(ApplyKey(TopKey::kSave, nullptr, state), TopAction::kNone);
  EXPECT_EQ(ApplyKey(TopKey::kQuit, nullptr, state), TopAction::kQuit);
}

TEST(LimitLetters, AreKeptAsLongAsTheLimitIsInTheStrip) {
  pb::LiveFrame frame;
  const auto add = [&](const std::string& limit) {
    pb::LiveSecond& second = *frame.add_strip();
    second.set_kind("knot");
    second.set_limit(limit);
  };
  LimitLetters letters;
  add("first");
  add("second");
  letters.Take(frame);
  EXPECT_EQ(letters.Of(frame.strip(1)), 'B');
  frame.mutable_strip()->DeleteSubrange(0, 1);
  add("third");
  letters.Take(frame);
  EXPECT_EQ(letters.Of(frame.strip(0)), 'B');
  EXPECT_EQ(letters.Of(frame.strip(1)), 'A');
}

TEST(HeightSign, ShowsAnyShareAboveNothing) {
  EXPECT_EQ(HeightSign(0, Charset::kUnicode), " ");
  EXPECT_EQ(HeightSign(0.001, Charset::kUnicode), "▁");
  EXPECT_EQ(HeightSign(1, Charset::kUnicode), "█");
  EXPECT_EQ(HeightSign(std::numeric_limits<double>::quiet_NaN(), Charset::kUnicode), " ");
}

}  // namespace
}  // namespace gordian
