// SPDX-License-Identifier: Apache-2.0
// Answers that were made, by their question.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "http/http_server.h"

namespace gordian {

// Thread-safe. Beyond its bytes, what was asked longest ago goes.
class AnswerCache {
 public:
  explicit AnswerCache(size_t most_bytes = 64 << 20) : most_bytes_(most_bytes) {}

  // Null body: it is not there.
  HttpAnswer Find(const std::string& question);
  void Keep(const std::string& question, const HttpAnswer& answer);
  size_t bytes() const;

 private:
  struct Kept {
    std::string question;
    HttpAnswer answer;
  };
  static size_t BytesOf(const Kept& kept);

  const size_t most_bytes_;
  mutable std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Kept> kept_;  // asked last first
  std::map<std::string, std::list<Kept>::iterator> place_;
};

}  // namespace gordian
