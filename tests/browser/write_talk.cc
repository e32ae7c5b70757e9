// SPDX-License-Identifier: Apache-2.0
// Makes a small recording of a server with requests over TCP, for tests in a browser.
//
// usage: write_talk [--hostile] DIR
//
// 300 requests to port 80, one each 10 ms. A request, from its beginning:
//   0–1 ms        server (tid 10) runs; then it waits for helper (tid 20)
//   1–1+D ms      helper works; D is 1 ms, of each tenth request 3 ms, of each hundredth 7 ms
//   1+D–2+D ms    server runs, and answers
// With --hostile the names are markup.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian::testing {
namespace {

constexpr int kTalkRequests = 300;
constexpr uint16_t kTalkClient = 50001;

uint64_t WorkOfHelper(int number) {
  if (number % 100 == 99) return 7_ms;
  return number % 10 == 9 ? 3_ms : 1_ms;
}

absl::Status WriteTalk(bool hostile, const std::string& directory) {
  TestTalk talk;
  talk.trace()
      .Thread(10, hostile ? "<img src=x>" : "server")
      .Thread(20, hostile ? "\"><b>helper" : "helper", 10);
  talk.At(0).Run(10);
  talk.At(0, 1).Run(20);
  talk.At(1_us).Block();
  talk.At(2_us, 1).Block();
  for (int number = 0; number < kTalkRequests; ++number) {
    const uint64_t begin_ns = 10_ms + static_cast<uint64_t>(number) * 10_ms;
    const uint64_t helped_ns = begin_ns + 1_ms + WorkOfHelper(number);
    talk.At(begin_ns);
    talk.Ask(kTalkClient, 100).trace().WakeFromNet(10, talk.eth());
    talk.At(begin_ns).Run(10);
    talk.At(begin_ns + 1_ms).Wake(20).Block();
    talk.At(begin_ns + 1_ms, 1).Run(20);
    talk.At(helped_ns, 1).Wake(10).Block();
    talk.At(helped_ns).Run(10);
    talk.At(helped_ns + 1_ms);
    talk.Answer(kTalkClient, 10, 200);
    talk.At(helped_ns + 1_ms + 1_us).Block();
  }
  talk.At(10_ms + kTalkRequests * 10_ms);
  return talk.trace().WriteSession(directory);
}

}  // namespace
}  // namespace gordian::testing

int main(int argc, char** argv) try {
  const bool hostile = argc == 3 && std::string_view(argv[1]) == "--hostile";
  if (argc != 2 && !hostile) {
    std::fprintf(stderr, "usage: write_talk [--hostile] DIR\n");
    return 2;
  }
  const absl::Status written = gordian::testing::WriteTalk(hostile, argv[argc - 1]);
  if (!written.ok()) std::fprintf(stderr, "write_talk: %s\n", written.ToString().c_str());
  return written.ok() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_talk: %s\n", error.what());
  return 1;
}
