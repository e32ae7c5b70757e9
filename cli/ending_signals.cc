// SPDX-License-Identifier: Apache-2.0
#include "cli/ending_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace gordian {
namespace {

constexpr auto kRepeatedAfter = std::chrono::seconds(1);

bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

EndingSignals::EndingSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals_, signal);
  if (!IsIgnored(SIGHUP)) sigaddset(&signals_, SIGHUP);
  sigset_t blocked = signals_;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  fd_ = FileDescriptor(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
}

EndingSignals::~EndingSignals() {
  sigset_t mine = signals_;
  sigaddset(&mine, SIGPIPE);
  const timespec at_once{};
  // Ends: each turn takes a pending signal away; no more of a kind is kept than one.
  while (sigtimedwait(&mine, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool EndingSignals::Wait(std::chrono::milliseconds longest, int other_fd) {
  pollfd waiting[] = {{fd_.number(), POLLIN, 0}, {other_fd, POLLIN, 0}};
  if (poll(waiting, 2, static_cast<int>(longest.count())) <= 0) return false;
  signalfd_siginfo info{};
  while (read(fd_.number(), &info, sizeof(info)) == sizeof(info))
    Take(static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL,
         std::chrono::steady_clock::now());
  return true;
}

void EndingSignals::Take(int signal, bool from_terminal,
                         std::chrono::steady_clock::time_point now) {
  if (signal == SIGCHLD) return;
  if (urgency_ == Urgency::kNone) {
    urgency_ = Urgency::kEnd;
    from_terminal_ = from_terminal;
    counted_ = now;
    return;
  }
  if (signal != SIGINT || (!from_terminal && now - counted_ < kRepeatedAfter)) return;
  counted_ = now;
  urgency_ = urgency_ == Urgency::kEnd ? Urgency::kLeaveNames : Urgency::kAtOnce;
}

}  // namespace gordian
