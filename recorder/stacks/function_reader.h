// SPDX-License-Identifier: Apache-2.0
// Reads the symbol tables of programs seen in stacks while the recording still runs, so that little
// is left to read at its end. What it reads goes to the cache on disk, from which the names are
// looked up later; without a usable cache it does nothing.
//
// It shares the pace of the readers of unwind tables, and leaves them at least half of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "symbols/symbols.h"

namespace gordian {

class FunctionReader {
 public:
  // `account`, which must live longer, is told the CPU time of its thread and children.
  FunctionReader(const SymbolPaths& paths, ReadingAccount& account);
  ~FunctionReader() { Stop(); }
  FunctionReader(const FunctionReader&) = delete;
  FunctionReader& operator=(const FunctionReader&) = delete;

  // Each module is read once. Never waits for a file.
  void Want(const ProcessMaps& maps, const Mapping& mapping);
  // Waits for the file that is being read just now, without a pace: the account is in a hurry from
  // now on. The others are left.
  void Stop();
  // Waits until all wanted files are read.
  void Finish();

 private:
  using Module = std::tuple<uint64_t, uint64_t, std::string>;  // device, inode, build-id

  void Work(const SymbolPaths& paths);

  ReadingAccount& account_;
  bool usable_ = false;
  std::set<Module> known_;  // of the caller's thread

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool busy_ = false;
  std::deque<ProcessMaps> wanted_;  // each with its one mapping
  std::thread thread_;
};

}  // namespace gordian
