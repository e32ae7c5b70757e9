// SPDX-License-Identifier: Apache-2.0
// Every way a line can be wrong, and the message for the user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/csv_translator.h"

namespace gordian {
namespace {

struct BadCase {
  std::vector<std::string> good;  // before it
  std::string bad;
  std::string message;
};

absl::Status TakeAll(const BadCase& lines) {
  const auto forget = [](EventBlock& block) {
    block.Clear();
    return absl::OkStatus();
  };
  CsvTranslator translator(BlockSink{.events = forget, .tasks = forget});
  for (const std::string& line : lines.good) {
    if (absl::Status status = translator.TakeLine(line); !status.ok()) {
      return absl::InternalError("the good line " + line +
                                 " is bad: " + std::string(status.message()));
    }
  }
  return translator.TakeLine(lines.bad);
}

class BadLine : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadLine, IsRefusedWithItsReason) {
  EXPECT_EQ(TakeAll(GetParam()), absl::InvalidArgumentError(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Shape, BadLine,
    ::testing::Values(
        BadCase{{}, "hello", "expected time_ns,cpu,kind,arguments, found \"hello\""},
        BadCase{{}, "\x7fGLF\x01", "expected time_ns,cpu,kind,arguments, found \"\\x7fGLF\\x01\""},
        BadCase{{}, "1,0", "expected time_ns,cpu,kind,arguments, found \"1,0\""},
        BadCase{{}, "\xff\xfe", "the line is not UTF-8 text"},
        BadCase{{},
                "1,2,3,4,5,6,7,8,9",
                "too many fields; a name with a comma in it belongs in double quotes"},
        BadCase{{}, "1,-1,thread,1,1,\"ab", "a double quote is not closed on this line"},
        BadCase{{},
                "1,-1,thread,1,1,\"ab\"c",
                "text follows a closing double quote; write a quote inside quotes twice"},
        BadCase{{}, "1,0,jump,1", "\"jump\" is no kind of event"},
        BadCase{{}, "1,0,,1", "\"\" is no kind of event"},
        BadCase{{}, "1,0,switch,1,2", "switch takes PREV,NEXT,STATE, but 2 fields follow it"},
        BadCase{{}, "1,0,exit,1", "exit takes TID,-, but 1 fields follow it"},
        BadCase{{}, "1,0,exit,1,-,-", "exit takes TID,-, but 3 fields follow it"},
        // Only the first line can be a header.
        BadCase{{"1,0,net_send,1,1"},
                "time_ns,cpu,kind",
                "time_ns must be a whole number from 0 to 9223372036854775807, not \"time_ns\""}));

INSTANTIATE_TEST_SUITE_P(
    TimeAndCpu, BadLine,
    ::testing::Values(
        BadCase{{},
                "-1,0,net_send,1,1",
                "time_ns must be a whole number from 0 to 9223372036854775807, not \"-1\""},
        BadCase{{},
                "1.5,0,net_send,1,1",
                "time_ns must be a whole number from 0 to 9223372036854775807, not \"1.5\""},
        BadCase{{},
                "9223372036854775808,0,net_send,1,1",
                "time_ns must be a whole number from 0 to 9223372036854775807, not "
                "\"9223372036854775808\""},
        BadCase{{"5,0,net_send,1,1"},
                "4,1,net_send,1,1",
                "time 4 is before the line above (5); sort the file by time"},
        BadCase{
            {}, "1,8192,net_send,1,1", "cpu must be -1 or a number from 0 to 8191, not \"8192\""},
        BadCase{{}, "1,-2,net_send,1,1", "cpu must be -1 or a number from 0 to 8191, not \"-2\""},
        BadCase{{}, "1,,net_send,1,1", "cpu must be -1 or a number from 0 to 8191, not \"\""},
        BadCase{{}, "1,-1,switch,1,2,S", "switch happens on a cpu, which cannot be -1"},
        BadCase{{}, "1,-1,softirq_entry,3", "softirq_entry happens on a cpu, which cannot be -1"},
        BadCase{{}, "1,-1,softirq_exit,3", "softirq_exit happens on a cpu, which cannot be -1"}));

constexpr const char* kVectorMessage =
    "VEC must be a softirq's number from 0 to 9 or its name (timer, net_rx, block, …), not ";

INSTANTIATE_TEST_SUITE_P(
    Arguments, BadLine,
    ::testing::Values(
        BadCase{
            {}, "1,0,switch,x,2,S", "PREV must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{{},
                "1,0,switch,1,-2,S",
                "NEXT must be a whole number from 0 to 2147483647, not \"-2\""},
        BadCase{{}, "1,0,switch,1,2,Z", "STATE must be R, S, D or X, not \"Z\""},
        BadCase{{},
                "1,0,wakeup,x,2,thread",
                "WAKER must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{{},
                "1,0,wakeup,1,2147483648,thread",
                "WAKEE must be a whole number from 0 to 2147483647, not \"2147483648\""},
        BadCase{{}, "1,0,wakeup,1,0,thread", "WAKEE cannot be 0, the idle thread"},
        BadCase{{},
                "1,0,wakeup,1,2,nmi",
                "CTX must be thread, hardirq, timer, net_rx or block, not \"nmi\""},
        BadCase{{},
                "1,0,wakeup,1,2,timer:vda",
                "no device can follow timer; only hardirq, net_rx and block have one"},
        BadCase{{},
                "1,0,wakeup,1,2,thread:lo",
                "no device can follow thread; only hardirq, net_rx and block have one"},
        BadCase{{}, "1,0,wakeup,1,2,block:", "the device has no name"},
        BadCase{{}, "1,0,softirq_entry,10", std::string(kVectorMessage) + "\"10\""},
        BadCase{{}, "1,0,softirq_exit,NET", std::string(kVectorMessage) + "\"NET\""},
        BadCase{
            {}, "1,0,softirq_exit,3", "softirq_exit without a softirq_entry before it on this cpu"},
        BadCase{{"1,0,softirq_entry,3"},
                "1,1,softirq_exit,3",
                "softirq_exit without a softirq_entry before it on this cpu"},
        BadCase{{"1,0,softirq_entry,3", "1,0,softirq_entry,4"},
                "1,0,softirq_exit,3",
                "softirq_exit of net_rx, but the last one entered on this cpu is block"},
        BadCase{std::vector<std::string>(CsvTranslator::kMaxSoftirqDepth, "1,0,softirq_entry,3"),
                "1,0,softirq_entry,3",
                "16 softirqs are open on this cpu; softirq_exit lines are missing"},
        BadCase{{}, "1,0,create,1,0", "CHILD can be neither 0 nor PARENT itself"},
        BadCase{{}, "1,0,create,1,1", "CHILD can be neither 0 nor PARENT itself"},
        BadCase{
            {}, "1,0,create,x,1", "PARENT must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{
            {}, "1,0,create,1,x", "CHILD must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{{}, "1,0,exit,0,-", "the idle thread, 0, cannot exit"},
        BadCase{{}, "1,0,exit,1,0", "the last field must be -, not \"0\""},
        BadCase{
            {}, "1,0,thread,x,1,a", "TID must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{
            {}, "1,0,thread,1,x,a", "TGID must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{{}, "1,0,thread,1,1," + std::string(256, 'a'), "NAME is longer than 255 bytes"},
        BadCase{{}, "1,0,disk_issue,1,,5", "the device has no name"},
        BadCase{{},
                "1,0,disk_issue,1,vda,x",
                "BYTES must be a whole number from 0 to 4294967295, not \"x\""},
        BadCase{{},
                "1,0,disk_done,x,vda,5",
                "TID must be a whole number from 0 to 2147483647, not \"x\""},
        BadCase{{},
                "1,0,net_send,1,4294967296",
                "BYTES must be a whole number from 0 to 4294967295, not \"4294967296\""},
        BadCase{{}, "1,0,spin_begin,0,7", "TID cannot be 0, the idle thread"},
        BadCase{{}, "1,0,spin_end,1,", "LOCK must be an address or a name of 1 to 255 bytes"},
        BadCase{{}, "1,0,cond_wait_begin,1,x", "the last field must be -, not \"x\""},
        BadCase{{}, "1,0,false_wakeup,0,-", "TID cannot be 0, the idle thread"},
        BadCase{
            {}, "1,-1,meta,cpus,many", "cpus must be a whole number from 0 to 8192, not \"many\""},
        BadCase{{},
                "1,-1,meta,target_pid,-4",
                "target_pid must be a whole number from 0 to 2147483647, not \"-4\""},
        BadCase{{},
                "1,-1,meta,realtime_ns,now",
                "realtime_ns must be a whole number from 0 to 9223372036854775807, not \"now\""},
        BadCase{{},
                "1,-1,meta,duration_ns,5s",
                "duration_ns must be a whole number from 0 to 9223372036854775807, not \"5s\""},
        // Text from the file cannot forge lines or fill the screen.
        BadCase{{},
                "1,0,switch,1,2,\x1b[31m" + std::string(100, 'S'),
                "STATE must be R, S, D or X, not \"\\x1b[31m" + std::string(35, 'S') + "…\""}));

TEST(BadTrace, NeedsAtLeastOneLine) {
  const auto forget = [](EventBlock&) { return absl::OkStatus(); };
  CsvTranslator translator(BlockSink{.events = forget, .tasks = forget});
  ASSERT_TRUE(translator.TakeLine("# nothing but a comment").ok());
  pb::Session session;
  EXPECT_EQ(
      translator.Finish(session),
      absl::InvalidArgumentError("the file holds no events: expected time_ns,cpu,kind,arguments"));
}

TEST(BadTrace, CannotFillTheMemoryWithDevices) {
  BadCase lines;
  for (size_t i = 0; i < DeviceNames::kMaxDevices; ++i) {
    lines.good.push_back("1,0,disk_issue,1,disk" + std::to_string(i) + ",1");
  }
  lines.bad = "1,0,disk_issue,1,one_more,1";
  EXPECT_EQ(TakeAll(lines), absl::InvalidArgumentError(
                                "more than 4096 devices: is the device in the right column?"));
}

TEST(BadTrace, CannotFillTheMemoryWithDiskRequests) {
  BadCase lines;
  lines.good.assign(CsvTranslator::kMaxRequestsInFlight, "1,0,disk_issue,1,vda,1");
  lines.bad = "1,0,disk_issue,1,vda,1";
  EXPECT_EQ(TakeAll(lines),
            absl::InvalidArgumentError(
                "1048576 disk requests are in flight; disk_done lines are missing"));
}

TEST(BadTrace, CannotFillTheMemoryWithClocks) {
  BadCase lines;
  lines.good.assign(CsvTranslator::kMaxMetaEntries, "1,-1,meta,realtime_ns,1");
  lines.bad = "1,-1,meta,realtime_ns,1";
  EXPECT_EQ(TakeAll(lines),
            absl::InvalidArgumentError("more than 65536 meta lines for targets and clocks"));
}

}  // namespace
}  // namespace gordian
