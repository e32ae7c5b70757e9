// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/kernel_stacks.h"

#include <algorithm>

namespace gordian {
namespace {

std::string_view BytesOfKey(const std::vector<uint64_t>& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size() * sizeof(uint64_t)};
}

}  // namespace

uint32_t KernelStacks::Intern(int32_t tgid, uint64_t time_ns, std::span<const uint64_t> kernel,
                              std::span<const uint64_t> user) {
  kernel = kernel.first(std::min(kernel.size(), kMaxStackFrames));
  user = user.first(std::min(user.size(), kMaxStackFrames - kernel.size()));
  if (kernel.empty() && user.empty()) return 0;
  // The kernel's addresses mean the same in all processes.
  if (user.empty()) tgid = 0;
  key_.assign({static_cast<uint32_t>(tgid), kernel.size()});
  key_.insert(key_.end(), kernel.begin(), kernel.end());
  key_.insert(key_.end(), user.begin(), user.end());
  if (const auto found = ids_.find(BytesOfKey(key_)); found != ids_.end()) {
    uint64_t& first_time_ns = stacks_[found->second - 1].first_time_ns;
    first_time_ns = std::min(first_time_ns, time_ns);
    return found->second;
  }
  const uint64_t frames = kernel.size() + user.size();
  if (frames_ + frames > kMaxFrames) {
    ++dropped_;
    return 0;
  }
  frames_ += frames;
  keys_.push_back(key_);
  Stack& stack = stacks_.emplace_back();
  stack.first_time_ns = time_ns;
  stack.record.stack_id = size();
  stack.record.tgid = tgid;
  stack.record.kernel.assign(kernel.begin(), kernel.end());
  stack.record.user.assign(user.begin(), user.end());
  ids_.emplace(BytesOfKey(keys_.back()), size());
  return size();
}

}  // namespace gordian
