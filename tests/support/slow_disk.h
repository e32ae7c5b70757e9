// SPDX-License-Identifier: Apache-2.0
// A disk that is as slow as a test wants, on the real kernel: a file system of this process (FUSE)
// that keeps its files in another folder. Who writes to it waits inside the kernel, as for a real
// disk that is busy. What is in the other folder is what is on the disk: a reader there waits for
// nothing.
//
// It is mounted in a namespace that the calling thread gets for itself. Programs that this thread
// starts from then on see it; nobody else does, and nothing of it outlives the test.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "trace/file_io.h"

namespace gordian::testing {

class SlowDisk {
 public:
  // Both folders are there. Fails without root's rights, or in a kernel without FUSE.
  static absl::StatusOr<std::unique_ptr<SlowDisk>> Mount(const std::string& files,
                                                         const std::string& mounted_at);
  // All who use it must have ended.
  ~SlowDisk();
  SlowDisk(const SlowDisk&) = delete;
  SlowDisk& operator=(const SlowDisk&) = delete;

  // From now on each change takes this long, half of it before it is on the disk, half behind it.
  void SetTimeOfChange(std::chrono::microseconds time) { change_us_ = time.count(); }
  // From now on changes wait, until GoOn. The disk may already have what a writer waits for.
  void Stall();
  void GoOn();
  // How many wait at this moment because it stalls.
  int waiting() const { return waiting_; }
  uint64_t changes() const { return changes_; }

 private:
  struct Request;
  struct Reply;

  SlowDisk(std::string files, std::string mounted_at)
      : files_(std::move(files)), mounted_at_(std::move(mounted_at)) {}
  void Serve();
  // False: it needs no answer.
  bool Handle(const Request& request, Reply& reply);
  int Change(const Request& request, Reply& reply);
  int Look(const Request& request, Reply& reply);
  int Create(const Request& request, Reply& reply);
  int SetAttributes(const Request& request, Reply& reply);
  int Write(const Request& request, Reply& reply);
  int Rename(const Request& request);
  int Remove(const Request& request);
  int ReadFolder(const Request& request, Reply& reply);
  int TellEntry(const std::string& path, Reply& reply);
  int TellAttributes(const std::string& path, Reply& reply);
  void WaitForDisk();

  std::string PathOf(uint64_t node);
  std::string PathIn(uint64_t folder, const std::string& name);
  uint64_t NodeOf(const std::string& path);

  const std::string files_;
  const std::string mounted_at_;
  FileHandle device_;
  FileHandle end_;  // readable: no more is served
  std::vector<std::thread> servers_;

  std::atomic<int64_t> change_us_ = 0;
  std::atomic<int> waiting_ = 0;
  std::atomic<uint64_t> changes_ = 0;

  std::mutex mutex_;
  std::condition_variable goes_on_;
  bool stalls_ = false;  // guarded by mutex_, like the nodes
  uint64_t last_node_ = 1;
  std::map<uint64_t, std::string> path_of_node_;
  std::map<std::string, uint64_t> node_of_path_;
};

}  // namespace gordian::testing
