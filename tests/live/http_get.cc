// SPDX-License-Identifier: Apache-2.0
#include "tests/live/http_get.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cctype>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file_descriptor.h"

namespace gordian {

std::string HttpGet(uint16_t port, const std::string& path, const std::string& accept) {
  const FileDescriptor socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_fd.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    return "";
  // HTTP/1.0: the body is not in chunks, and its end ends the connection.
  const std::string request =
      absl::StrCat("GET ", path, " HTTP/1.0\r\nHost: 127.0.0.1\r\nAccept: ", accept, "\r\n\r\n");
  send(socket_fd.number(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  std::array<char, 4096> buffer;
  ssize_t size;
  while ((size = recv(socket_fd.number(), buffer.data(), buffer.size(), 0)) > 0)
    answer.append(buffer.data(), static_cast<size_t>(size));
  const size_t head = answer.find("\r\n\r\n");
  if (head == std::string::npos || answer.find(" 200 ") > head) return "";
  return answer.substr(head + 4);
}

std::string UrlEncoded(const std::string& text) {
  std::string encoded;
  for (const char byte : text)
    if (std::isalnum(static_cast<unsigned char>(byte)) != 0)
      encoded += byte;
    else
      encoded += absl::StrFormat("%%%02X", static_cast<unsigned char>(byte));
  return encoded;
}

uint16_t PortBehind(const std::string& text, const std::string& before) {
  const size_t at = text.rfind(before);
  if (at == std::string::npos) return 0;
  const size_t colon = text.find(':', at + before.size());
  if (colon == std::string::npos || text.find_first_not_of("0123456789", colon + 1) == text.npos)
    return 0;
  return static_cast<uint16_t>(std::atoi(text.c_str() + colon + 1));
}

}  // namespace gordian
