// SPDX-License-Identifier: Apache-2.0
// Any bytes as a node's answers to a controller: its files' list and their parts, or its sessions.
// Written files stay in the node's folder and as small as the node said; shown text cannot steer a
// terminal.
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "cli/cluster_view.h"
#include "cluster/collect.h"
#include "cluster/file_receiver.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

void Require(bool holds) {
  if (!holds) std::abort();
}

// The same bytes are the parts of every file, again and again from the middle.
void Collect(const std::string& list, const std::string& parts) {
  pb::FilesResponse files;
  if (!files.ParseFromString(list) || !CheckFiles(files).ok()) return;
  const TestDirectory directory;
  const std::string node = directory.path() + "/node";
  fs::create_directory(node);
  std::map<std::string, uint64_t> told_bytes;
  for (const pb::SessionFile& file : files.files()) {
    told_bytes[file.name()] = told_bytes["." + file.name() + ".part"] = file.size_bytes();
    FileReceiver::IsThere(node, file);
    for (int attempt = 0; attempt < 2; ++attempt) {
      Require(FileReceiver::PartialBytes(node, file) <= file.size_bytes());
      absl::StatusOr<FileReceiver> receiver = FileReceiver::Open(node, file);
      if (!receiver.ok()) break;  // a name too long for a part's
      if (!receiver->Append(std::string_view(parts).substr(0, parts.size() / 2)).ok()) continue;
      (void)receiver->Place(std::string_view(parts).substr(parts.size() / 2, 16));
    }
  }
  for (const auto& entry : fs::directory_iterator(node)) {
    const auto told = told_bytes.find(entry.path().filename().string());
    Require(told != told_bytes.end());
    Require(fs::file_size(entry) <= told->second);
  }
  Require(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()) == 1);
}

void Show(const std::string& bytes) {
  pb::StatusResponse response;
  if (!response.ParseFromString(bytes)) return;
  NodeSessions node;
  node.node = "node1";
  node.free_bytes = response.free_bytes();
  node.sessions.assign(response.sessions().begin(), response.sessions().end());
  for (const std::string& text : {NodesStatusTable({node}), NodesListTable({node})}) {
    Require(std::none_of(text.begin(), text.end(), [](char character) {
      const auto code = static_cast<unsigned char>(character);
      return (code < 0x20 && character != '\n') || code == 0x7f;
    }));
  }
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  gordian::Show(bytes);
  if (size < 1) return 0;
  const size_t list_bytes = std::min<size_t>(data[0], size - 1);
  gordian::Collect(bytes.substr(1, list_bytes), bytes.substr(1 + list_bytes));
  return 0;
}
