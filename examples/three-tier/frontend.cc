// SPDX-License-Identifier: Apache-2.0
// The front end: a thread for each client, which prepares its requests and asks the back end. With
// a log it gives a request up after 300 ms, and asks again on a new connection the next time.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "examples/three-tier/log.h"
#include "examples/three-tier/tcp.h"

namespace {

using three_tier::Message;

constexpr int kPreparing = 20'000;  // some ten microseconds
constexpr int kPatienceMs = 300;
constexpr long kRequestsBetweenLines = 100;

void Prepare(Message& message) {
  unsigned state = static_cast<unsigned char>(message[0]);
  for (int i = 0; i < kPreparing; ++i) state = state * 1664525u + 1013904223u;
  message[1] = static_cast<char>(state >> 24);
}

void SetName(const std::string& name, Message& message) {
  const size_t size = std::min(name.size(), message.size() - three_tier::kNameAt - 1);
  std::copy_n(name.begin(), size, message.begin() + three_tier::kNameAt);
  message[three_tier::kNameAt + size] = 0;
}

// False if the back end has gone.
bool AskBackend(int& backend, const std::string& address, const three_tier::Log& log,
                Message& message) {
  const std::string name = three_tier::NameOf(message);
  if (three_tier::Send(backend, message) && three_tier::Receive(backend, message)) return true;
  if (!log.is_open() || errno != EAGAIN) return false;
  log.Write("ERROR request " + name + " timed out: no answer of " + address + " within 300 ms");
  // A late answer must not be taken for that of the next request.
  close(backend);
  backend = three_tier::Connect(address);
  three_tier::SetPatience(backend, kPatienceMs);
  return true;
}

void ServeClient(int client, const std::string& backend_address, const three_tier::Log& log) {
  int backend = three_tier::Connect(backend_address);
  if (log.is_open()) three_tier::SetPatience(backend, kPatienceMs);
  const std::string thread = std::to_string(gettid());
  Message message;
  for (long requests = 1; three_tier::Receive(client, message); ++requests) {
    SetName("r" + thread + "-" + std::to_string(requests), message);
    Prepare(message);
    if (requests % kRequestsBetweenLines == 0)
      log.Write("INFO request " + three_tier::NameOf(message));
    if (!AskBackend(backend, backend_address, log, message)) break;
    if (!three_tier::Send(client, message)) break;
  }
  close(backend);
  close(client);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fputs("usage: frontend HOST:PORT BACKEND_HOST:PORT [LOG]\n", stderr);
    return 2;
  }
  const three_tier::Log log("frontend", argc == 4 ? argv[3] : "");
  const int listener = three_tier::Listen(argv[1]);
  while (true) {
    std::thread(ServeClient, three_tier::Accept(listener), std::string(argv[2]), std::cref(log))
        .detach();
  }
}
