// SPDX-License-Identifier: Apache-2.0
#include "words/vertex_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

VertexFacts Thread(const std::string& name, int32_t tid, const std::string& process = "") {
  return {.kind = "thread", .name = name, .process = process, .tid = tid};
}
VertexFacts Group(const std::string& name, uint64_t threads, const std::string& process = "") {
  return {.kind = "group", .name = name, .process = process, .threads = threads};
}
VertexFacts Other(const std::string& kind, const std::string& name) {
  return {.kind = kind, .name = name};
}
VertexFacts On(const std::string& node, VertexFacts vertex) {
  vertex.node = node;
  return vertex;
}

VertexFacts In(const std::string& container, VertexFacts vertex) {
  vertex.container = container;
  return vertex;
}

VertexLabels Labels(std::vector<VertexFacts> vertices) {
  for (size_t i = 0; i < vertices.size(); ++i) vertices[i].id = static_cast<uint32_t>(i);
  return VertexLabels(std::move(vertices));
}

std::vector<std::string> All(const VertexLabels& labels) {
  std::vector<std::string> all;
  for (size_t i = 0; i < labels.size(); ++i) all.push_back(labels.label(i));
  return all;
}
std::vector<std::string> Phrases(const VertexLabels& labels) {
  std::vector<std::string> all;
  for (size_t i = 0; i < labels.size(); ++i) all.push_back(labels.phrase(i));
  return all;
}

TEST(VertexLabels, ANameThatNobodySharesIsTheLabel) {
  const VertexLabels labels =
      Labels({Thread("B", 12), Group("worker-*", 16), Other("disk", "vda"), Other("nic", "eth0")});
  EXPECT_THAT(All(labels), ElementsAre("B", "worker-*", "vda", "eth0"));
  EXPECT_THAT(Phrases(labels), ElementsAre("B", "worker-* (16 threads)", "the disk vda",
                                           "the network interface eth0"));
}

TEST(VertexLabels, ThreadsThatShareANameHaveTheirIdBehind) {
  const VertexLabels labels = Labels({Thread("client", 7), Thread("client", 9), Thread("B", 12)});
  EXPECT_THAT(All(labels), ElementsAre("client/7", "client/9", "B"));
  EXPECT_EQ(Phrases(labels), All(labels));
}

TEST(VertexLabels, GroupsThatShareANameAreToldApartByWhatSentencesSayAnyway) {
  EXPECT_THAT(All(Labels({Group("server", 3), Group("server", 1), Thread("server", 8)})),
              ElementsAre("server (3 threads)", "server (1 thread)", "server/8"));
  EXPECT_THAT(All(Labels({Group("worker", 4, "postgres"), Group("worker", 4, "nginx")})),
              ElementsAre("postgres/worker (4 threads)", "nginx/worker (4 threads)"));
  EXPECT_THAT(All(Labels({Group("worker", 4, "nginx"), Group("worker", 4, "nginx")})),
              ElementsAre("worker #0 (4 threads)", "worker #1 (4 threads)"));
}

TEST(VertexLabels, WhereContainersAreSeveralThreadsSayTheirs) {
  const VertexLabels labels = Labels({In("lxc/a", Thread("server", 7, "server")),
                                      In("lxc/b", Thread("server", 9, "server")),
                                      In("lxc/b", Group("worker-*", 4, "nginx")),
                                      Thread("cron", 3, "cron"), Other("disk", "vda")});
  EXPECT_THAT(All(labels), ElementsAre("server in lxc/a", "server in lxc/b",
                                       "nginx/worker-* in lxc/b", "cron", "vda"));
  EXPECT_EQ(labels.phrase(2), "nginx/worker-* in lxc/b (4 threads)");
  EXPECT_THAT(labels.Find("server in lxc/b"), ElementsAre(1));
  EXPECT_THAT(labels.Find("server"), ElementsAre(0, 1));
  EXPECT_THAT(labels.Find("nginx/worker-*"), ElementsAre(2));
}

TEST(VertexLabels, ASingleContainerGoesWithoutSaying) {
  EXPECT_THAT(All(Labels({In("lxc/a", Thread("server", 7)), In("lxc/a", Thread("client", 9)),
                          Thread("cron", 3)})),
              ElementsAre("server", "client", "cron"));
}

TEST(VertexLabels, TwinsInOneContainerHaveTheirIdBehind) {
  const VertexLabels labels =
      Labels({In("lxc/a", Thread("server", 7)), In("lxc/a", Thread("server", 9)),
              In("lxc/b", Thread("server", 11))});
  EXPECT_THAT(All(labels),
              ElementsAre("server/7 in lxc/a", "server/9 in lxc/a", "server in lxc/b"));
}

TEST(VertexLabels, DevicesThatShareANameSayWhatTheyAre) {
  const VertexLabels labels =
      Labels({Thread("vda", 5), Other("disk", "vda"), Other("nic", "vda"), Other("irq", "vda")});
  EXPECT_THAT(All(labels),
              ElementsAre("vda/5", "disk vda", "network interface vda", "interrupts (vda)"));
  EXPECT_THAT(Phrases(labels), ElementsAre("vda/5", "the disk vda", "the network interface vda",
                                           "interrupts (vda)"));
}

TEST(VertexLabels, WhatIsNoThingHasWordsForIt) {
  const VertexLabels labels =
      Labels({Other("timer", "timer"), Other("unknown", "unknown"), Other("link", "link a→b"),
              Other("remote", "peer 9"), On("web1", Other("timer", "timer")),
              On("web1", Other("unknown", "unknown"))});
  EXPECT_THAT(All(labels),
              ElementsAre("timer", "unknown", "link a→b", "peer 9", "web1/timer", "web1/unknown"));
  EXPECT_THAT(Phrases(labels),
              ElementsAre("timers", "an unknown waker", "the link a→b", "the remote peer peer 9",
                          "timers on web1", "an unknown waker on web1"));
}

TEST(VertexLabels, OfManyNodesTheyBeginWithTheNode) {
  const VertexLabels labels =
      Labels({On("web1", Thread("worker", 7, "server")), On("web2", Thread("worker", 7, "server")),
              On("web2", Thread("worker", 8, "server")), On("web1", Other("disk", "vda"))});
  EXPECT_THAT(All(labels), ElementsAre("web1/server/worker", "web2/server/worker/7",
                                       "web2/server/worker/8", "web1/vda"));
  EXPECT_EQ(labels.phrase(3), "the disk web1/vda");
}

TEST(VertexLabels, WhatHasNoNameIsCalledByItsNumber) {
  EXPECT_THAT(All(Labels({Thread("", 7), Group("", 2), Other("disk", "")})),
              ElementsAre("thread 7", "#1", "#2"));
}

TEST(VertexLabels, NoNameLooksLikeTheLabelOfAnother) {
  EXPECT_THAT(All(Labels({Thread("B", 5), Thread("B", 6), Thread("B/5", 7)})),
              ElementsAre("B/5", "B/6", "B/5/7"));
  EXPECT_THAT(All(Labels({Group("x", 3), Thread("x (3 threads)", 7)})),
              ElementsAre("x (3 threads)", "x (3 threads)/7"));
  EXPECT_THAT(All(Labels({Other("timer", "timer"), Thread("timers", 7)})),
              ElementsAre("timers", "timers/7"));
  // One thread id used twice.
  EXPECT_THAT(All(Labels({Thread("B", 5), Thread("B", 5)})), ElementsAre("B/5 #0", "B/5 #1"));
}

TEST(ThreadLabels, AreOfSingleThreads) {
  EXPECT_EQ(ThreadLabel("B", 12), "B/12");
  EXPECT_EQ(ThreadLabel("", 12), "thread 12");
  EXPECT_EQ(ThreadLabel("a\nb", 12), "a\uFFFDb/12");
}

TEST(VertexLabels, AreCleanText) {
  EXPECT_THAT(All(Labels({Thread("B\x1b[31m\xff", 5), Thread("B\x1c[31m\xfe", 6)})),
              ElementsAre("B\uFFFD[31m\uFFFD/5", "B\uFFFD[31m\uFFFD/6"));
}

TEST(FindingLabels, TakesThemAsTheyStandInASentenceOrAList) {
  const VertexLabels labels = Labels({Group("worker-*", 16), Other("disk", "vda"),
                                      Other("timer", "timer"), Thread("B", 12), Thread("B", 13)});
  for (size_t i = 0; i < labels.size(); ++i) {
    EXPECT_THAT(labels.Find(labels.label(i)), ElementsAre(i));
    EXPECT_THAT(labels.Find(labels.phrase(i)), ElementsAre(i));
  }
}

TEST(FindingLabels, TakesOtherWaysToSayIt) {
  const VertexLabels labels =
      Labels({Group("worker-*", 16, "nginx"), Other("disk", "vda"), Other("nic", "eth0"),
              Thread("B", 12, "server"), Thread("C", 13, "server"), Thread("C", 14, "server")});
  for (const char* text : {"worker-*", "worker-* (16 threads)", "group worker-*", "nginx/worker-*",
                           "the group worker-*", " worker-* "})
    EXPECT_THAT(labels.Find(text), ElementsAre(0)) << text;
  for (const char* text : {"vda", "disk vda", "the disk vda"})
    EXPECT_THAT(labels.Find(text), ElementsAre(1)) << text;
  for (const char* text : {"eth0", "nic eth0", "network interface eth0", "the nic eth0"})
    EXPECT_THAT(labels.Find(text), ElementsAre(2)) << text;
  for (const char* text :
       {"B", "12", "thread 12", "thread B", "B/12", "B (thread 12)", "server/B", "server/B/12"})
    EXPECT_THAT(labels.Find(text), ElementsAre(3)) << text;
  for (const char* text : {"C/14", "14", "thread 14", "C (thread 14)", "server/C/14"})
    EXPECT_THAT(labels.Find(text), ElementsAre(5)) << text;
  for (const char* text : {"C", "thread C", "server/C"})
    EXPECT_THAT(labels.Find(text), ElementsAre(4, 5)) << text;
  for (const char* text : {"", " ", "B/13", "disk B", "thread vda", "C (thread 12)", "/12",
                           "worker-* (15 threads)", "nginx/B", "the ", "thread "})
    EXPECT_THAT(labels.Find(text), IsEmpty()) << text;
}

TEST(FindingLabels, MeansAllOfANameAndOfAProcessTheNarrowestFirst) {
  const VertexLabels labels =
      Labels({Group("pay", 4, "pay"), Thread("pay", 12, "pay"), Thread("log", 13, "pay"),
              Thread("log", 14, "other"), Other("disk", "vda")});
  EXPECT_THAT(labels.Meanings("pay"), ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1, 2)));
  EXPECT_THAT(labels.Meanings("pay/12"), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(labels.Meanings("other"), ElementsAre(ElementsAre(3)));
  EXPECT_THAT(labels.Meanings("vda"), ElementsAre(ElementsAre(4)));
  EXPECT_THAT(labels.Meanings("nothing"), IsEmpty());
}

TEST(FindingLabels, TakeUpperAndLowerCaseAsTheSameIfNothingIsSpelledSo) {
  const VertexLabels labels = Labels({Thread("VM Thread", 12, "java"), Thread("web", 13, "Web"),
                                      Thread("Web", 14, "other"), Other("disk", "vda")});
  EXPECT_THAT(labels.Find("vm thread"), ElementsAre(0));
  EXPECT_THAT(labels.Find("VDA"), ElementsAre(3));
  EXPECT_THAT(labels.Find(" Java "), ElementsAre(0));
  EXPECT_THAT(labels.Find("web"), ElementsAre(1));
  EXPECT_THAT(labels.Find("webs"), IsEmpty());
}

// A title tells both vertices called pay as one.
TEST(FindingLabels, TakesGroupsThatATitleAddsUp) {
  const VertexLabels labels =
      Labels({Group("pay", 4, "pay"), Thread("pay", 12, "pay"), Group("log", 3, "pay")});
  EXPECT_THAT(labels.Find("pay (5 threads)"), ElementsAre(0, 1));
  EXPECT_THAT(labels.Find("log (4 threads)"), IsEmpty());
}

TEST(FindingLabels, PrefersALabelToANameThatOthersShare) {
  const VertexLabels labels = Labels({Other("timer", "timer"), Thread("disk vda", 5),
                                      Other("disk", "vda"), Thread("12", 6), Thread("B", 12)});
  EXPECT_THAT(labels.Find("disk vda"), ElementsAre(1));
  EXPECT_THAT(labels.Find("the disk vda"), ElementsAre(2));
  EXPECT_THAT(labels.Find("12"), ElementsAre(3));
}

TEST(FindingLabels, OfManyNodesTheNodeMayBeLeftOutWhereItIsClear) {
  const VertexLabels labels =
      Labels({On("web1", Thread("worker", 7, "server")), On("web2", Thread("worker", 8, "server")),
              On("web1", Other("disk", "vda"))});
  EXPECT_THAT(labels.Find("web1/worker"), ElementsAre(0));
  EXPECT_THAT(labels.Find("web2/server/worker/8"), ElementsAre(1));
  EXPECT_THAT(labels.Find("worker"), ElementsAre(0, 1));
  EXPECT_THAT(labels.Find("vda"), ElementsAre(2));
  EXPECT_THAT(labels.Find("the disk web1/vda"), ElementsAre(2));
  EXPECT_THAT(labels.Find("disk vda"), ElementsAre(2));
}

TEST(FindingLabels, TellsWhatIsMostLikeAnother) {
  const VertexLabels labels = Labels(
      {Thread("postgres", 1), Thread("pgbench", 2), Thread("walwriter", 3), Other("disk", "vda")});
  EXPECT_THAT(labels.Nearest("Postgrse", 2), ElementsAre("postgres", "pgbench"));
  EXPECT_THAT(labels.Nearest("the disk vdb", 1), ElementsAre("vda"));
  EXPECT_EQ(labels.Nearest("", 10).size(), 4u);
}

TEST(EditDistances, CountWhatMustChange) {
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("vda", "VDA"), 0u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

// Few letters, so that many names are alike, or like the label of another.
rc::Gen<VertexFacts> SomeVertex() {
  const auto name = rc::gen::element<std::string>(
      "", "a", "b", "a/1", "a (1 thread)", "disk a", "timers", " a", "thread 1", "a\n", "a\x01",
      "a #0", "a #1", "1", "p/a", "n/p/a", "a->b", "a=1", "\xff", "the disk a", "group a");
  return rc::gen::build<VertexFacts>(
      rc::gen::set(&VertexFacts::kind,
                   rc::gen::element<std::string>("thread", "group", "disk", "nic", "timer", "irq",
                                                 "remote", "link", "unknown", "<b>")),
      rc::gen::set(&VertexFacts::name, name),
      rc::gen::set(&VertexFacts::process, rc::gen::element<std::string>("", "p", "q")),
      rc::gen::set(&VertexFacts::node, rc::gen::element<std::string>("", "n", "m")),
      rc::gen::set(&VertexFacts::tid, rc::gen::inRange<int32_t>(0, 3)),
      rc::gen::set(&VertexFacts::threads, rc::gen::inRange<uint64_t>(0, 3)));
}

RC_GTEST_PROP(VertexLabels, OfAnyNamesNoTwoAreAlikeAndAllAreFoundAgain, ()) {
  const VertexLabels labels = Labels(*rc::gen::container<std::vector<VertexFacts>>(SomeVertex()));
  std::set<std::string> seen;
  for (size_t i = 0; i < labels.size(); ++i) {
    RC_ASSERT(!labels.label(i).empty());
    RC_ASSERT(seen.insert(labels.label(i)).second);
    RC_ASSERT(labels.Find(labels.label(i)) == std::vector<size_t>{i});
    RC_ASSERT(labels.Find(labels.phrase(i)) == std::vector<size_t>{i});
  }
}

}  // namespace
}  // namespace gordian
