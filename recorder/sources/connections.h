// SPDX-License-Identifier: Apache-2.0
// Where connections meet a limit: accept queues of listening sockets, connections turned away
// there, and the table of tracked connections. Of the recorder's own network namespace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "recorder/sources/file_text.h"
#include "recorder/sources/listening_sockets.h"
#include "recorder/sources/meter.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class Connections {
 public:
  // `list` asks the kernel for the sockets; tests have their own.
  explicit Connections(SystemPaths paths,
                       std::function<std::vector<ListeningSocket>()> list = ListListeningSockets);
  // Queues that never held a connection are left out. The owners of a full one are looked for now
  // and then.
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Queue {
    SampledResource resource;
    uint64_t owners_ns = 0;  // when they were asked for; 0: never
  };
  void SampleQueues(ResourceSink& sink);
  void SampleOverflows(ResourceSink& sink, uint64_t& missed);
  void SampleTable(ResourceSink& sink);

  SystemPaths paths_;
  std::function<std::vector<ListeningSocket>()> list_;
  std::map<std::string, Queue> queues_;  // by address
  RereadFile netstat_;
  SampledResource overflows_;
  RateMeter overflows_meter_;
  SampledResource table_;
  uint64_t last_ns_ = 0;
};

}  // namespace gordian
