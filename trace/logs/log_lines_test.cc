// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return out.substr(0, out.size() - stream.avail_out);
}

struct Reading {
  std::vector<std::string> lines;
  uint64_t too_long = 0;
  bool cut_short = false;
};

Reading ReadBytes(const std::string& bytes) {
  const TemporaryDirectory directory;
  WriteWholeFile(directory / "log", bytes);
  Reading reading;
  const auto log = OpenLog(directory / "log");
  EXPECT_TRUE(log.ok()) << log.status();
  LogLines lines(**log);
  std::string_view line;
  while (lines.Next(line)) reading.lines.emplace_back(line);
  EXPECT_TRUE(lines.status().ok());
  reading.too_long = lines.too_long();
  reading.cut_short = (*log)->cut_short();
  return reading;
}

std::string ManyLines() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "line number " + std::to_string(i) + "\n";
  return text;
}

TEST(LogLines, EndWithEveryKindOfEnd) {
  EXPECT_THAT(ReadBytes("a\nb\r\n\nc").lines, ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(ReadBytes("").lines, ElementsAre());
  EXPECT_THAT(ReadBytes("\n").lines, ElementsAre(""));
  EXPECT_THAT(ReadBytes("ab").lines, ElementsAre("ab"));
}

TEST(LogLines, ComeOutOfCompressedFilesByTheirContent) {
  const std::string text = ManyLines();
  const std::vector<std::string> wanted = ReadBytes(text).lines;
  EXPECT_EQ(wanted.size(), 200'000u);
  for (const std::string& bytes : {Gzip(text), Zstd(text)}) {
    const Reading reading = ReadBytes(bytes);
    EXPECT_EQ(reading.lines, wanted);
    EXPECT_FALSE(reading.cut_short);
  }
}

TEST(LogLines, GoOnOverFilesThatWereJoined) {
  EXPECT_THAT(ReadBytes(Gzip("a\n") + Gzip("b\n")).lines, ElementsAre("a", "b"));
  EXPECT_THAT(ReadBytes(Zstd("a\n") + Zstd("b\n")).lines, ElementsAre("a", "b"));
  EXPECT_FALSE(ReadBytes(Gzip("a\n") + Gzip("b\n")).cut_short);
}

TEST(LogLines, AreReadUpToWhereACompressedFileBreaksOff) {
  const std::string text = ManyLines();
  for (const std::string& bytes : {Gzip(text), Zstd(text)}) {
    const Reading reading = ReadBytes(bytes.substr(0, bytes.size() / 2));
    EXPECT_TRUE(reading.cut_short);
    EXPECT_GT(reading.lines.size(), 10'000u);
    EXPECT_LT(reading.lines.size(), 200'000u);
  }
}

TEST(LogLines, AreReadUpToWhereACompressedFileIsDamaged) {
  for (std::string bytes : {Gzip(ManyLines()), Zstd(ManyLines())}) {
    std::memset(bytes.data() + bytes.size() / 2, 0x55, 100);
    const Reading reading = ReadBytes(bytes);
    EXPECT_TRUE(reading.cut_short);
  }
}

TEST(LogLines, ThatAreTooLongArePassedOver) {
  const std::string longest(LogLines::kMaxLineBytes, 'x');
  const Reading reading = ReadBytes("a\n" + longest + "\n" + longest + "yy\nb\n" + longest +
                                    longest + longest + "\nc\n");
  ASSERT_EQ(reading.lines.size(), 4u);
  EXPECT_EQ(reading.lines[0], "a");
  EXPECT_EQ(reading.lines[1].size(), LogLines::kMaxLineBytes);
  EXPECT_EQ(reading.lines[2], "b");
  EXPECT_EQ(reading.lines[3], "c");
  EXPECT_EQ(reading.too_long, 2u);
}

TEST(LogLines, OfNoFileAreAnError) {
  EXPECT_FALSE(OpenLog("/no/such/log").ok());
  EXPECT_FALSE(OpenLog("/dev").ok());
}

}  // namespace
}  // namespace gordian
