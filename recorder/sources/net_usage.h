// SPDX-License-Identifier: Apache-2.0
// The bytes that each network interface received and sent, from /proc/net/dev (of the recorder's
// own network namespace). Interfaces that never moved a byte are left out: container hosts have
// hundreds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "recorder/sources/file_text.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

// The link's speed as the kernel tells it; 0 if it does not (virtual interfaces, links that are
// down).
uint64_t InterfaceBitsPerSecond(const SystemPaths& paths, std::string_view interface);

class NetUsage {
 public:
  explicit NetUsage(SystemPaths paths);
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Interface {
    uint64_t round = 0;  // the last one it was seen in
    uint64_t speed_asked_ns =
        0;  // a link may come up, or change its speed: asked again now and then
    bool speed_asked = false;
    SampledResource receive;
    SampledResource send;
    RateMeter receive_meter;
    RateMeter send_meter;
  };
  void RefreshSpeed(std::string_view name, Interface& interface, uint64_t now_ns);

  SystemPaths paths_;
  RereadFile net_dev_;
  uint64_t round_ = 0;
  std::map<std::string, Interface, std::less<>> interfaces_;
};

}  // namespace gordian
