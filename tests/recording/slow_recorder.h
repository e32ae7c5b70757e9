// SPDX-License-Identifier: Apache-2.0
// A recorder (gordian record) on a disk that is as slow as a test wants.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "tests/program.h"
#include "tests/recording/played_puppet.h"
#include "tests/support/slow_disk.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {

class SlowRecorder {
 public:
  // Null, and the test has failed, if there is no such disk.
  static std::unique_ptr<SlowRecorder> Start(const TempDir& folder) {
    std::filesystem::create_directory(folder / "files");
    std::filesystem::create_directory(folder / "disk");
    auto disk = SlowDisk::Mount(folder / "files", folder / "disk");
    EXPECT_TRUE(disk.ok()) << disk.status();
    if (!disk.ok()) return nullptr;
    return std::unique_ptr<SlowRecorder>(new SlowRecorder(folder, *std::move(disk)));
  }
  // A stalled disk goes on before the recorder is waited for.
  ~SlowRecorder() { disk_->GoOn(); }

  // What is on the disk.
  std::string Session() const { return folder_ / "files/session"; }
  SlowDisk& disk() { return *disk_; }

  // Until the recorder waits for it.
  void StallInTheMiddle() {
    disk_->Stall();
    for (int rounds = 0; rounds < 400 && disk_->waiting() == 0; ++rounds)
      ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "10"}).ok());
    ASSERT_GT(disk_->waiting(), 0);
  }
  void End() { ASSERT_EQ(program_.End(SIGINT), 0) << ReadFile(folder_ / "errors"); }
  // It ends when the disk lets it.
  void Kill() {
    kill(program_.pid(), SIGKILL);
    disk_->GoOn();
    ASSERT_EQ(program_.End(SIGKILL), 128 + SIGKILL);
  }

 private:
  SlowRecorder(const TempDir& folder, std::unique_ptr<SlowDisk> disk)
      : folder_(folder),
        disk_(std::move(disk)),
        program_({GORDIAN_PROGRAM, "record", "--budget", "none", "-o", folder / "disk/session"}, {},
                 folder / "errors") {}

  const TempDir& folder_;
  std::unique_ptr<SlowDisk> disk_;
  BackgroundProgram program_;
};

}  // namespace gordian::testing
