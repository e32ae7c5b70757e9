// SPDX-License-Identifier: Apache-2.0
// The front end: a thread for each client, which prepares its requests and asks the back end.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "examples/three-tier/tcp.h"

namespace {

using three_tier::Message;

constexpr int kPreparing = 20'000;  // some ten microseconds

void Prepare(Message& message) {
  unsigned state = static_cast<unsigned char>(message[0]);
  for (int i = 0; i < kPreparing; ++i) state = state * 1664525u + 1013904223u;
  message[1] = static_cast<char>(state >> 24);
}

void ServeClient(int client, const std::string& backend_address) {
  const int backend = three_tier::Connect(backend_address);
  Message message;
  while (three_tier::Receive(client, message)) {
    Prepare(message);
    if (!three_tier::Send(backend, message) || !three_tier::Receive(backend, message)) break;
    if (!three_tier::Send(client, message)) break;
  }
  close(backend);
  close(client);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: frontend HOST:PORT BACKEND_HOST:PORT\n", stderr);
    return 2;
  }
  const int listener = three_tier::Listen(argv[1]);
  while (true) {
    std::thread(ServeClient, three_tier::Accept(listener), std::string(argv[2])).detach();
  }
}
