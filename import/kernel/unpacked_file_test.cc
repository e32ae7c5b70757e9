// SPDX-License-Identifier: Apache-2.0
// Traces of any format in a file that is compressed as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "import/import.h"
#include "import/kernel/kernel_trace_files.h"
#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;
using testing::WriteFile;

std::string GzipFile(const std::string& bytes) {
  const TempDir dir;
  const gzFile file = gzopen((dir / "file.gz").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return testing::ReadFile(dir / "file.gz");
}

std::string ZstdFile(const std::string& bytes) { return testing::Packed(PackedBy::kZstd, bytes); }

absl::StatusOr<ImportResult> ImportPackedFile(const TempDir& dir, const std::string& bytes,
                                              KernelTraceFormat format) {
  return ImportKernelTrace({.file = WriteFile(dir / "packed", bytes),
                            .directory = dir / "trace",
                            .recorder_version = "1"},
                           format);
}

void ExpectSameEvents(const std::string& bytes, KernelTraceFormat format) {
  const TempDir plain;
  ASSERT_TRUE(ImportPackedFile(plain, bytes, format).ok());
  for (const std::string& packed : {GzipFile(bytes), ZstdFile(bytes)}) {
    const TempDir dir;
    const auto result = ImportPackedFile(dir, packed, format);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(testing::SessionTexts(dir / "trace"), testing::SessionTexts(plain / "trace"));
  }
}

TEST(UnpackedFile, HoldsTheSameEventsInEachFormat) {
  ExpectSameEvents(testing::SmallPerfData(), KernelTraceFormat::kPerfData);
  ExpectSameEvents(testing::SmallPerfettoTrace(), KernelTraceFormat::kPerfetto);
  ExpectSameEvents(testing::SmallTraceDat(6), KernelTraceFormat::kTraceDat);
  ExpectSameEvents(
      "  bash-10 [000] d..2. 1.000001: sched_switch: prev_comm=bash prev_pid=10 prev_prio=120 "
      "prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n",
      KernelTraceFormat::kFtraceText);
}

TEST(UnpackedFile, IsRefusedIfItIsCutOrGrowsBeyondMeasure) {
  const TempDir dir;
  const std::string whole = GzipFile(testing::SmallPerfData());
  EXPECT_THAT(ImportPackedFile(dir, whole.substr(0, whole.size() / 2), KernelTraceFormat::kPerfData)
                  .status()
                  .ToString(),
              HasSubstr("breaks off or is damaged"));
  const std::string bomb = ZstdFile(std::string(64u << 20, '\0'));
  EXPECT_THAT(ImportPackedFile(dir, bomb, KernelTraceFormat::kPerfData).status().ToString(),
              HasSubstr("grows to more than 1000 times its size"));
  EXPECT_THAT(dir.Entries(), ::testing::ElementsAre("packed"));
}

}  // namespace
}  // namespace gordian
