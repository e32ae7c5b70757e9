// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/kernel_event.h"

#include "import/csv_fields.h"
#include "words/clean_text.h"

namespace gordian {

uint32_t KernelNames::Intern(std::string_view name) {
  if (name.empty()) return 0;
  name = name.substr(0, kMaxNameBytes);
  if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
  if (!IsUtf8(name)) return Intern(CleanText(name));  // whose result is
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
