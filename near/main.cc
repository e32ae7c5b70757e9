// SPDX-License-Identifier: Apache-2.0
// gordian-near FOLDER: gordiand's helper that answers questions about one session (near/).
//
// It reads questions from standard input and writes an answer to each: four bytes of length, least
// first, then a message of schema/near.proto. It ends with its input. gordiand itself analyzes
// nothing: what a recording takes of memory, or a damaged one of patience, is this process's own.
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "near/node_answers.h"

namespace gordian {
namespace {

// A recording of 50 million events takes about so much. Larger ones are to be collected.
constexpr rlim_t kMostMemoryBytes = rlim_t{4} << 30;
constexpr uint32_t kMostQuestionBytesRead = 1 << 20;

// Reads files, and nothing else: writes none, gains nothing, and keeps no right of root's.
bool GiveUpRights() {
  const rlimit memory = {kMostMemoryBytes, kMostMemoryBytes};
  const rlimit none = {0, 0};
  if (setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_FSIZE, &none) != 0 ||
      setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return false;
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> sets = {};
  if (syscall(SYS_capset, &header, sets.data()) != 0) return false;
  return setpriority(PRIO_PROCESS, 0, 10) == 0;
}

bool ReadAll(char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(STDIN_FILENO, to, bytes);
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

int AnswerAll(const std::string& directory) {
  if (!GiveUpRights()) {
    std::cerr << "gordian-near: cannot give up its rights\n";
    return 1;
  }
  NodeAnswers answers(directory, 1);
  uint32_t length = 0;
  while (ReadAll(reinterpret_cast<char*>(&length), sizeof(length))) {
    if (length > kMostQuestionBytesRead) return 1;
    std::string text(length, '\0');
    if (!ReadAll(text.data(), length)) return 1;
    pb::NearQuestion question;
    if (!question.ParseFromString(text)) question.Clear();
    const std::string answer = answers.Answer(question).SerializeAsString();
    length = static_cast<uint32_t>(answer.size());
    if (!WriteAll(std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + answer))
      return 1;
  }
  return 0;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  try {
    if (argc == 2) return gordian::AnswerAll(argv[1]);
    std::cerr << "usage: gordian-near FOLDER (gordiand runs it)\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "gordian-near: " << error.what() << "\n";
    return 1;
  }
}
