// SPDX-License-Identifier: Apache-2.0
// Waits for a disk.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "examples/fixes/clients.h"
#include "examples/fixes/fixes.h"
#include "examples/fixes/queue.h"

namespace gordian::fixes {
namespace {

constexpr size_t kSmallRecordBytes = 4096;
constexpr size_t kBigRecordBytes = 1 << 20;  // so that even a fast disk is waited for
constexpr uint64_t kReplicaUs = 700;

class Log {
 public:
  Log(const std::string& directory, size_t record_bytes) : record_(record_bytes) {
    const std::string path = directory + "/fixes-" + std::to_string(getpid()) + ".log";
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0) Fail(path);
    unlink(path.c_str());
    // So that no sync has to make room first.
    for (off_t at = 0; at < kLogBytes; at += RecordBytes()) WriteAt(at);
    Sync();
  }
  ~Log() { close(fd_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void Append() {
    WriteAt(at_);
    at_ = (at_ + RecordBytes()) % kLogBytes;
  }
  void Sync() const {
    if (fdatasync(fd_) != 0) Fail("the log");
  }

 private:
  static constexpr off_t kLogBytes = 16 << 20;

  [[noreturn]] static void Fail(const std::string& what) {
    std::fprintf(stderr, "fixes: cannot write %s: %s\n", what.c_str(), strerror(errno));
    std::exit(1);
  }
  off_t RecordBytes() const { return static_cast<off_t>(record_.size()); }
  void WriteAt(off_t at) const {
    if (pwrite(fd_, record_.data(), record_.size(), at) != RecordBytes()) Fail("the log");
  }

  const std::vector<char> record_;
  int fd_ = -1;
  off_t at_ = 0;
};

}  // namespace

// Four clients send requests; one thread logs each, syncs the log and answers. Fixed: it does not
// sync (as ZooKeeper with forceSync=no).
double Sync(const Options& options) {
  Log log(options.directory, kBigRecordBytes);
  Run run(options);
  Queue<Answer*> requests;
  run.Start("syncer", [&] {
    while (const auto answer = requests.Take()) {
      Work(30);
      log.Append();
      if (!options.fixed) log.Sync();
      (*answer)->Give();
    }
  });
  StartClients(run, requests, 4, 40);
  return run.Finish();
}

// Six threads commit: work, then append to the log, sync it and hear from a replica, alone. Fixed:
// group commit, in which one thread's sync serves all that have appended before it began.
double GroupCommit(const Options& options) {
  Log log(options.directory, kSmallRecordBytes);
  Run run(options);
  std::mutex mutex;
  std::condition_variable synced;
  uint64_t appended = 0, durable = 0;
  bool syncing = false;
  const auto sync = [&] {
    log.Sync();
    Away(kReplicaUs);
  };
  const auto commit_alone = [&] {
    const std::unique_lock lock(mutex);
    log.Append();
    sync();
  };
  const auto commit_in_group = [&] {
    std::unique_lock lock(mutex);
    log.Append();
    const uint64_t mine = ++appended;
    while (durable < mine) {
      if (syncing) {
        synced.wait(lock);
        continue;
      }
      syncing = true;
      const uint64_t until = appended;
      lock.unlock();
      sync();
      lock.lock();
      syncing = false;
      durable = until;
      synced.notify_all();
    }
  };
  for (int i = 0; i < 6; ++i) {
    run.Start("committer", [&] {
      while (run.Goes()) {
        Work(50);
        if (options.fixed) {
          commit_in_group();
        } else {
          commit_alone();
        }
        run.CountOne();
      }
    });
  }
  return run.Finish();
}

}  // namespace gordian::fixes
