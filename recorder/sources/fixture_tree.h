// SPDX-License-Identifier: Apache-2.0
// A tree of files in a folder of its own, which goes when this goes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "recorder/sources/system_paths.h"

namespace gordian {

class FixtureTree {
 public:
  FixtureTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gordian-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  ~FixtureTree() { std::filesystem::remove_all(root_); }
  FixtureTree(const FixtureTree&) = delete;
  FixtureTree& operator=(const FixtureTree&) = delete;

  // Writes over the file in place, as the kernel does: a reader that has it open reads the new
  // text.
  void Write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream file(root_ / path, std::ios::trunc);
    file << text;
  }
  void MakeFolder(const std::string& path) const {
    std::filesystem::create_directories(root_ / path);
  }
  void Remove(const std::string& path) const { std::filesystem::remove_all(root_ / path); }

  std::string Path(const std::string& path) const { return (root_ / path).string(); }
  SystemPaths paths() const { return {Path("proc"), Path("sys")}; }

 private:
  std::filesystem::path root_;
};

}  // namespace gordian
