// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/hooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bpf/events.h"
#include "gordian.skel.h"
#include "recorder/attach/left_out.h"

namespace gordian {
namespace {

constexpr Backend kBackends[] = {Backend::kTracepoint, Backend::kFentry, Backend::kKprobe};

std::set<std::string> ProgramsOfTheObject() {
  std::set<std::string> names;
  gordian_bpf* object = gordian_bpf::open();  // reads the embedded object only: needs no rights
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object->obj) names.insert(bpf_program__name(program));
  gordian_bpf::destroy(object);
  return names;
}

// On any kernel.
std::set<std::string> ProgramsOfTheTable() {
  std::set<std::string> names;
  for (const Backend backend : kBackends)
    for (const bool stacks : {false, true})
      for (const bool is_new : {false, true})
        for (const Hook& hook : HooksOf(backend, stacks,
                                        {.rdonly_cast = is_new,
                                        .block_start = is_new,
                                        .probes_left_out_uncounted = !is_new}))
          for (const Candidate& candidate : hook.candidates)
            for (const Attachment& attachment : candidate.attachments)
              names.insert(std::string(attachment.program));
  for (const bool is_new : {false, true})
    for (const Hook& hook : LocalMessageHooks(
             {.sockets = true, .pipes = true},
             {.socket_lengths = is_new, .enters_sockets = !is_new, .enters_pipes = true}))
      for (const Candidate& candidate : hook.candidates)
        for (const Attachment& attachment : candidate.attachments)
          names.insert(std::string(attachment.program));
  return names;
}

TEST(Hooks, EveryProgramOfTheTableExists) {
  const std::set<std::string> programs = ProgramsOfTheObject();
  for (const std::string& program : ProgramsOfTheTable())
    EXPECT_TRUE(programs.count(program)) << program;
}

TEST(Hooks, EveryProgramOfTheObjectIsUsedBySomeBackend) {
  std::set<std::string> unused = ProgramsOfTheObject();
  unused.erase("alive_tasks");   // an iterator, and
  unused.erase("cpu_stack");     // on the software clock, and
  unused.erase("counted_call");  // at the requested calls: they are in no table
  for (const std::string& program : ProgramsOfTheTable()) unused.erase(program);
  EXPECT_THAT(unused, testing::IsEmpty());
}

TEST(Hooks, EveryBackendTellsTheSameEvents) {
  std::set<std::string> expected;
  for (const Hook& hook : HooksOf(Backend::kTracepoint, false, {}))
    expected.insert(std::string(hook.event));
  for (const Backend backend : kBackends) {
    std::set<std::string> events;
    for (const Hook& hook : HooksOf(backend, false, {})) events.insert(std::string(hook.event));
    EXPECT_EQ(events, expected) << BackendName(backend);
  }
}

TEST(Hooks, ProgramsThatCountStandBesideProbesWhereTheKernelDoesNot) {
  const auto counts = [](Backend backend, bool uncounted) {
    int hooks = 0;
    for (const Hook& hook : HooksOf(backend, false, {.probes_left_out_uncounted = uncounted}))
      hooks += hook.event.ends_with(" left out");
    return hooks;
  };
  EXPECT_EQ(counts(Backend::kKprobe, true), 3);
  EXPECT_EQ(counts(Backend::kKprobe, false), 0);
  EXPECT_EQ(counts(Backend::kTracepoint, true), 0);
}

TEST(Hooks, OnlyLocalMessagesThatAreAskedForAreHooked) {
  const auto events = [](const LocalMessageChoice& choice) {
    std::vector<std::string> names;
    for (const Hook& hook : LocalMessageHooks(choice, {.socket_lengths = true}))
      names.emplace_back(hook.event);
    return names;
  };
  EXPECT_THAT(events({}), testing::IsEmpty());
  EXPECT_THAT(events({.sockets = true}), testing::ElementsAre("unix socket messages"));
  EXPECT_THAT(events({.sockets = true, .pipes = true}),
              testing::ElementsAre("unix socket messages", "pipe messages"));
}

TEST(Hooks, PipesAreEnteredWhereThatWorksAndSystemCallsAreTheLastChoice) {
  const auto candidates = [](bool enters) {
    return LocalMessageHooks({.pipes = true}, {.enters_pipes = enters}).front().candidates;
  };
  EXPECT_EQ(candidates(true).size(), 2u);
  EXPECT_EQ(candidates(true).front().name, "fentry/pipe_write+read");
  EXPECT_EQ(candidates(false).size(), 1u);
  EXPECT_EQ(candidates(false).front().name, "tracepoint/syscalls read+write");
}

TEST(Hooks, AKernelThatTellsNoSocketMessagesHasNoCandidate) {
  EXPECT_THAT(LocalMessageHooks({.sockets = true}, {}).front().candidates, testing::IsEmpty());
}

TEST(Hooks, TheKindThatEachProgramRecordsIsKnown) {
  for (const std::string& program : ProgramsOfTheObject())
    EXPECT_TRUE(KindOfProgram(program).has_value()) << program;
  EXPECT_EQ(KindOfProgram("fentry_wake"), GD_WAKE);
  EXPECT_EQ(KindOfProgram("no_such_program"), std::nullopt);
}

TEST(Hooks, AProbedFunctionIsNamedAndOthersAreNot) {
  using Kind = Attachment::Kind;
  for (const Backend backend : kBackends)
    for (const Hook& hook : HooksOf(backend, false, {}))
      for (const Candidate& candidate : hook.candidates)
        for (const Attachment& attachment : candidate.attachments)
          EXPECT_EQ(attachment.symbol.empty(),
                    attachment.kind != Kind::kKprobe && attachment.kind != Kind::kKretprobe)
              << attachment.program;
}

}  // namespace
}  // namespace gordian
