// SPDX-License-Identifier: Apache-2.0
#include "serve/answer_cache.h"

namespace gordian {
namespace {

// Nodes of list and map, and the answer's own, about.
constexpr size_t kBytesBeside = 512;

}  // namespace

size_t AnswerCache::BytesOf(const Kept& kept) {
  return kept.answer.body->size() + 2 * kept.question.size() + kBytesBeside;
}

HttpAnswer AnswerCache::Find(const std::string& question) {
  const std::lock_guard lock(mutex_);
  const auto found = place_.find(question);
  if (found == place_.end()) return {};
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->answer;
}

void AnswerCache::Keep(const std::string& question, const HttpAnswer& answer) {
  if (answer.body == nullptr) return;
  Kept kept{question, answer};
  const size_t bytes = BytesOf(kept);
  const std::lock_guard lock(mutex_);
  if (bytes > most_bytes_ || place_.contains(question)) return;
  kept_.push_front(std::move(kept));
  place_[question] = kept_.begin();
  bytes_ += bytes;
  while (bytes_ > most_bytes_) {
    bytes_ -= BytesOf(kept_.back());
    place_.erase(kept_.back().question);
    kept_.pop_back();
  }
}

size_t AnswerCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace gordian
