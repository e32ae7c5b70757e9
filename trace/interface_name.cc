// SPDX-License-Identifier: Apache-2.0
#include "trace/interface_name.h"

#include "absl/strings/str_cat.h"
#include "trace/trace_event.h"

namespace gordian {

std::string InterfaceName(const pb::Interface& interface) {
  if (interface.network_namespace() == 0) return interface.name();
  if (interface.name().empty())
    return absl::StrCat("interface ", interface.index_in_namespace(),
                        " of a network namespace that is gone");
  if (interface.namespace_name().empty())
    return absl::StrCat(interface.name(), " of network namespace ", interface.network_namespace());
  return absl::StrCat(interface.name(), " of ", interface.namespace_name());
}

std::string InterfaceName(uint32_t number) {
  if (number < kFirstForeignInterface) return absl::StrCat("interface ", number);
  return absl::StrCat("interface #", number - kFirstForeignInterface,
                      " of another network namespace");
}

}  // namespace gordian
