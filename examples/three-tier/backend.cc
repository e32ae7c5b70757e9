// SPDX-License-Identifier: Apache-2.0
// The back end: one thread that answers each request once its record is safe on disk. With a log it
// has a fault: before one request it tidies up its journal, which keeps the disk busy for 600 ms,
// and all others wait.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "examples/three-tier/log.h"
#include "examples/three-tier/tcp.h"

namespace {

using three_tier::Message;

constexpr size_t kRecordBytes = 512 << 10;
// The file is written over and over: an example should not fill a disk.
constexpr size_t kFileBytes = 64 << 20;

// All of the file is written once before any client is served. Then a write waits for the disk, and
// not for the file system, which would have to find room first.
class Journal {
 public:
  explicit Journal(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) {
    for (size_t i = 0; i < kFileBytes / kRecordBytes; ++i) Write({});
    fdatasync(file_);
  }
  ~Journal() { close(file_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Small records, one after the other: the disk is waited for nearly all of the time, however fast
  // it is.
  bool TidyUp() {
    constexpr auto kTime = std::chrono::milliseconds(600);
    const auto until = std::chrono::steady_clock::now() + kTime;
    const std::string small(4096, 't');
    while (std::chrono::steady_clock::now() < until) {
      if (pwrite(file_, small.data(), small.size(), 0) < 0 || fdatasync(file_) != 0) return false;
    }
    return true;
  }

  bool Keep(const Message& message) { return Write(message) && fdatasync(file_) == 0; }

 private:
  bool Write(const Message& message) {
    record_.assign(kRecordBytes, message[0]);
    at_ = (at_ + kRecordBytes) % kFileBytes;
    return pwrite(file_, record_.data(), record_.size(), static_cast<off_t>(at_)) ==
           static_cast<ssize_t>(record_.size());
  }

  const int file_;
  size_t at_ = 0;
  std::string record_;
};

constexpr long kRequestsBetweenLines = 500;

// `fault_at`: before that request; 0: never.
int Serve(const std::string& address, const std::string& path, const three_tier::Log& log,
          long fault_at) {
  Journal journal(path);
  const int listener = three_tier::Listen(address);
  std::vector<pollfd> events = {{listener, POLLIN, 0}};
  Message message;
  long requests = 0;
  const auto keep = [&] {
    const std::string name = three_tier::NameOf(message);
    if (++requests % kRequestsBetweenLines == 0) log.Write("INFO keeps request " + name);
    if (requests != fault_at) return journal.Keep(message);
    log.Write("WARN tidies up the journal before request " + name);
    const bool is_tidy = journal.TidyUp();
    log.Write("WARN the journal is tidy; goes on with request " + name);
    return is_tidy && journal.Keep(message);
  };
  while (poll(events.data(), events.size(), -1) >= 0 || errno == EINTR) {
    for (size_t i = 1; i < events.size();) {
      if (events[i].revents == 0) {
        ++i;
      } else if (!three_tier::Receive(events[i].fd, message)) {
        close(events[i].fd);
        events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (!keep()) {
        std::fprintf(stderr, "backend: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
        return 1;
      } else {
        three_tier::Send(events[i++].fd, message);
      }
    }
    if (events[0].revents != 0) events.push_back({three_tier::Accept(listener), POLLIN, 0});
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) {
    std::fputs("usage: backend HOST:PORT FILE [LOG REQUEST_WITH_FAULT]\n", stderr);
    return 2;
  }
  const three_tier::Log log("backend", argc == 5 ? argv[3] : "");
  return Serve(argv[1], argv[2], log, argc == 5 ? std::atol(argv[4]) : 0);
}
