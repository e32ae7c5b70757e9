// SPDX-License-Identifier: Apache-2.0
// A directory that answers over UDP and loses one packet in so many. usage: directory PORT LOST_OF
// ROUNDS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static uint64_t find(uint64_t name, int rounds) {
  for (int i = 0; i < rounds; i++) name = name * 6364136223846793005U + 1442695040888963407U;
  return name;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int lost_of = atoi(argv[2]);
  const int rounds = atoi(argv[3]);
  const int asked = socket(AF_INET, SOCK_DGRAM, 0);
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)atoi(argv[1])),
                                      .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(asked, (const struct sockaddr*)&address, sizeof address)) return 1;
  for (long packets = 1;; packets++) {
    uint64_t question[2];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    if (recvfrom(asked, question, sizeof question, 0, (struct sockaddr*)&from, &length) !=
        sizeof question)
      continue;
    if (packets % lost_of == 0) continue;
    const uint64_t answer[2] = {question[0], find(question[1], rounds)};
    sendto(asked, answer, sizeof answer, 0, (const struct sockaddr*)&from, length);
  }
}
