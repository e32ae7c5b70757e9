// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/kernel_event.h"

#include "import/csv_fields.h"
#include "words/clean_text.h"

namespace gordian {

namespace {

// A character at the end that does not fit is left out. It ends: the empty name is UTF-8.
std::string CleanName(std::string_view name) {
  std::string clean = CleanText(name);
  if (clean.size() > KernelNames::kMaxNameBytes) clean.resize(KernelNames::kMaxNameBytes);
  while (!IsUtf8(clean)) clean.pop_back();
  return clean;
}

}  // namespace

uint32_t KernelNames::Intern(std::string_view name) {
  if (name.empty()) return 0;
  name = name.substr(0, kMaxNameBytes);
  if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
  if (!IsUtf8(name)) return Intern(CleanName(name));
  if (names_.size() >= kMaxNames) {
    ++dropped_;
    return 0;
  }
  names_.emplace_back(name);
  const auto index = static_cast<uint32_t>(names_.size());
  indices_.emplace(names_.back(), index);
  return index;
}

}  // namespace gordian
