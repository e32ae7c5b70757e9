// Speeds of links that the kernel does not tell: virtual interfaces are as fast as what is behind
// them, and only people know that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

struct LinkSpeed {
  std::string interface;
  uint64_t bits_per_second = 0;
};

// "eth0=1G", "eth0=2.5Gbit/s", "veth1=100M". Units are powers of 1000, as for links everywhere.
absl::StatusOr<LinkSpeed> ParseLinkSpeed(std::string_view text);

// On every node that has an interface of that name. NotFound, with the names that there are, if
// none has.
absl::Status SetLinkSpeeds(const std::vector<std::string>& links, Timeline& timeline);

}  // namespace gordian
