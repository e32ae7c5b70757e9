// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "tests/puppets/troubles/troubles.h"

namespace gordian::troubles {
namespace {

void RunOn(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) Fail("sched_setaffinity");
}

void LoopbackUp(int fd) {
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) Fail("SIOCGIFFLAGS");
  request.ifr_flags |= IFF_UP;
  if (ioctl(fd, SIOCSIFFLAGS, &request) != 0) Fail("SIOCSIFFLAGS");
}

// The file of this network namespace is only to be seen in a sysfs mounted within it.
void HandPacketsTo(int cpu) {
  if (unshare(CLONE_NEWNS) != 0) Fail("unshare");
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) Fail("private mounts");
  if (mount("trouble", "/sys", "sysfs", 0, nullptr) != 0) Fail("mounting sysfs");
  std::ofstream file("/sys/class/net/lo/queues/rx-0/rps_cpus");
  file << std::hex << (1 << cpu) << std::flush;
  if (!file.good()) Fail("rps_cpus");
}

// A filter of that many instructions, which then refuses the packet: each costs some microseconds
// in the interrupt.
void MakePacketsDear(int receiver) {
  std::vector<sock_filter> code(BPF_MAXINSNS - 1,
                                sock_filter BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1));
  code.push_back(BPF_STMT(BPF_RET | BPF_K, 0));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (setsockopt(receiver, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0)
    Fail("SO_ATTACH_FILTER");
}

// A program of its own: the packets are not those of the thread that suffers.
[[noreturn]] void Flood(int sender) {
  constexpr size_t kMessages = 64;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "flood");
  RunOn(0);
  char text[64] = {};
  iovec piece{text, sizeof(text)};
  std::vector<mmsghdr> messages(kMessages);
  for (mmsghdr& message : messages) {
    message.msg_hdr.msg_iov = &piece;
    message.msg_hdr.msg_iovlen = 1;
  }
  for (;;) sendmmsg(sender, messages.data(), messages.size(), 0);
}

}  // namespace

void DrownInInterrupts() {
  if (unshare(CLONE_NEWNET) != 0) Fail("unshare");
  const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  LoopbackUp(receiver);
  HandPacketsTo(1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  MakePacketsDear(receiver);
  if (bind(receiver, reinterpret_cast<sockaddr*>(&address), bytes) != 0) Fail("bind");
  if (getsockname(receiver, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
    Fail("getsockname");
  if (connect(sender, reinterpret_cast<sockaddr*>(&address), bytes) != 0) Fail("connect");
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) Flood(sender);
  RunOn(1);
  SayReady();
  for (;;) Compute(1'000'000'000);
}

}  // namespace gordian::troubles
