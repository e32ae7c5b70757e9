// SPDX-License-Identifier: Apache-2.0
// A store in a folder of the test's own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "tests/support/temp_dir.h"

namespace gordian {

// The sections by name.
using SectionTexts = std::map<std::string, std::string>;

inline std::span<const std::byte> BytesOfText(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string TextOfBytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline StoreKey KeyOf(const std::string& stage) {
  return {.recording = "0123", .stage = stage, .format = 1, .options = "--from 1s"};
}

// Bytes that look like chance, the same for the same seed.
inline std::string NoisyText(size_t bytes, uint32_t seed = 1) {
  std::string text(bytes, '\0');
  for (char& letter : text) {
    seed = seed * 1664525 + 1013904223;
    letter = static_cast<char>(seed >> 24);
  }
  return text;
}

class StoreFixture : public ::testing::Test {
 protected:
  StoreOptions Options() const {
    return {.folder = folder_, .limit_bytes = 1 << 30, .keep_free_bytes = 0, .threads = 2};
  }
  Store Open(const StoreOptions& options) const {
    auto store = Store::Open(options);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  Store Open() const { return Open(Options()); }

  static absl::Status Keep(const Store& store, const StoreKey& key, const SectionTexts& sections) {
    auto writer = store.Begin(key, "/recordings/one");
    if (!writer.ok()) return writer.status();
    for (const auto& [name, text] : sections) writer->AddBytes(name, BytesOfText(text));
    return writer->Commit();
  }
  // One section of that many bytes.
  static absl::Status KeepBytes(const Store& store, const StoreKey& key, size_t bytes) {
    return Keep(store, key, {{"content", NoisyText(bytes)}});
  }

  std::string PathOf(const Store& store, const StoreKey& key) const {
    for (const KeptAnalysis& analysis : store.List())
      if (analysis.key == key) return folder_ + "/" + analysis.file;
    ADD_FAILURE() << "not kept: " << key.stage;
    return "";
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      files.push_back(entry.path().filename());
    return files;
  }
  // As if it had been used that long ago.
  static void SetUsed(const std::string& path, time_t seconds_ago) {
    const timespec time = {::time(nullptr) - seconds_ago, 0};
    const timespec times[] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  const testing::TempDir temporary_;
  const std::string folder_ = temporary_.path() + "/cache/analyses";
};

}  // namespace gordian
