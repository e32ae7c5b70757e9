// SPDX-License-Identifier: Apache-2.0
#include "tests/live/followed_stall.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gordian {
namespace {

// Only a failing test waits this long.
constexpr auto kPatience = std::chrono::minutes(1);

}  // namespace

FollowedStall::FollowedStall()
    : recorder_(std::make_unique<BackgroundProgram>(
          std::vector<std::string>{GORDIAN_PROGRAM, "record", "-o", directory_ / "rec", "--budget",
                                   "none", "--duration", "5m", "--", STALL_PROGRAM, "2"},
          std::vector<std::string>{}, directory_ / "record.log")) {}

FollowedStall::~FollowedStall() = default;

void FollowedStall::Follow(const std::vector<std::string>& options) {
  std::vector<std::string> words = {GORDIAN_PROGRAM, "top", directory_ / "rec", "--wait", "1m"};
  words.insert(words.end(), options.begin(), options.end());
  top_ = std::make_unique<BackgroundProgram>(words, std::vector<std::string>{},
                                             directory_ / "top.log");
}

std::string FollowedStall::Said() const {
  std::ostringstream text;
  text << std::ifstream(directory_ / "top.log").rdbuf();
  return text.str();
}

int FollowedStall::End() {
  recorder_->End(SIGINT);
  Until([this] { return top_->Ended().has_value(); });
  return top_->End(SIGTERM);
}

bool FollowedStall::Until(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    usleep(20'000);
  }
  return true;
}

}  // namespace gordian
