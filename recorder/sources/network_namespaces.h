// SPDX-License-Identifier: Apache-2.0
// The names of network interfaces in namespaces other than the recorder's.
//
// A namespace is known by its inode. It is found by a process in it or by its file under /run, and
// its interfaces are listed by a thread that enters it for a moment. No descriptor of it is kept:
// that would keep it alive. A namespace that is gone before it is found has no names.
//
// Not thread-safe: one owner.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schema/session.pb.h"

namespace gordian {

// The inode of the calling thread's network namespace; 0 if it cannot be read.
uint32_t OwnNetworkNamespace();

class NetworkNamespaces {
 public:
  // An interface that packets were seen on, with the number that events have for it. The numbers
  // must be new.
  void Add(uint32_t number, uint32_t network, uint32_t index);

  // Looks for interfaces without a name, in all namespaces at once. Each is looked for a few times.
  // Does nothing if all have names, or if it took too much of the time lately.
  void NameThem();

  // Adds those added to the session's interfaces, in place of what an earlier call added.
  void Fill(pb::Session& session) const;

 private:
  struct Named {
    std::string name;
    std::vector<std::string> addresses;
  };
  struct Namespace {
    std::string name;
    std::map<uint32_t, Named> interfaces;  // by index, as listed last
    int searches = 0;                      // since the last interface was added
  };
  struct Interface {
    uint32_t number = 0;
    uint32_t network = 0;
    uint32_t index = 0;
  };
  bool IsWanted(uint32_t network) const;
  void SearchFiles(const std::string& folder);
  void SearchProcesses();
  void List(Namespace& space, const std::string& file, std::string name);

  std::map<uint32_t, Namespace> namespaces_;  // by inode
  std::vector<Interface> interfaces_;
  std::map<uint32_t, bool> wanted_;  // while searching: by inode, whether it was found
  bool is_any_unnamed_ = false;
  uint64_t next_search_ns_ = 0;
};

}  // namespace gordian
