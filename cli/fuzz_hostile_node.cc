// SPDX-License-Identifier: Apache-2.0
// Any bytes as a node's answers to a controller: its files' list and their parts, its sessions, or
// what it sends of a running one. Written files stay in the node's folder and as small as the node
// said, or as the limit of a mirror; shown text cannot steer a terminal.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "cli/cluster_view.h"
#include "cluster/collect.h"
#include "cluster/file_receiver.h"
#include "cluster/mirror_folder.h"
#include "recorder/sessions/test_directory.h"
#include "trace/block_header.h"
#include "trace/segment_name.h"
#include "trace/session_symbols.h"
#include "trace/session_writer.h"

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

// A block whose header checks, with any numbers in it.
std::string BlockOf(std::string_view bytes) {
  BlockHeader header;
  const auto take = [&bytes](uint64_t& number, size_t size) {
    for (; size > 0 && !bytes.empty(); --size, bytes.remove_prefix(1))
      number = number << 8 | static_cast<uint8_t>(bytes[0]);
  };
  uint64_t kind = 0, cpu = 0, events = 0;
  take(kind, 1);
  take(cpu, 2);
  take(header.sequence, 2);
  take(header.first_time_ns, 3);
  take(header.last_time_ns, 3);
  take(events, 2);
  header.kind = static_cast<BlockKind>(kind);
  header.cpu = static_cast<uint16_t>(cpu);
  header.events = static_cast<uint32_t>(events);
  header.last_time_ns += header.first_time_ns;
  header.raw_bytes = 1;
  header.payload_bytes = static_cast<uint32_t>(bytes.size());
  std::array<uint8_t, kBlockHeaderBytes> text;
  WriteBlockHeader(header, text);
  return std::string(text.begin(), text.end()) + std::string(bytes);
}

// A row of parts: a byte of flags and kind, one of length, the data.
void Follow(std::string_view bytes) {
  const TestDirectory directory;
  constexpr uint64_t kSecond = 1'000'000'000;
  auto folder = MirrorFolder::Create(directory.path() + "/node",
                                     {.bytes = kMinRingBytes, .keep_ns = kSecond});
  Require(folder.ok());
  while (bytes.size() >= 2) {
    constexpr uint8_t kGoesOn = 0x80, kIsBlock = 0x40, kIsNewCall = 0x20;
    const auto flags = static_cast<uint8_t>(bytes[0]);
    const size_t size = std::min<size_t>(static_cast<uint8_t>(bytes[1]), bytes.size() - 2);
    const std::string_view data = bytes.substr(2, size);
    pb::FollowPart part;
    part.set_kind(static_cast<pb::FollowPart::Kind>(flags & 0x0f));
    part.set_goes_on((flags & kGoesOn) != 0);
    part.set_data((flags & kIsBlock) != 0 ? BlockOf(data) : std::string(data));
    if ((flags & kIsNewCall) != 0) (*folder)->GoOn();
    (void)(*folder)->Take(part);
    bytes.remove_prefix(2 + size);
  }
  (void)(*folder)->Finish();
  uint64_t bytes_on_disk = 0;
  for (const auto& entry : fs::directory_iterator(directory.path() + "/node")) {
    const std::string name = entry.path().filename().string();
    Require(ParseSegmentFileName(name) || name == kSessionFileName || name == kSymbolsFile);
    bytes_on_disk += fs::file_size(entry);
  }
  Require(bytes_on_disk <= kMinRingBytes);
  Require(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()) == 1);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  gordian::Show(bytes);
  if (size < 1) return 0;
  const size_t list_bytes = std::min<size_t>(data[0], size - 1);
  gordian::Follow(bytes);
  gordian::Collect(bytes.substr(1, list_bytes), bytes.substr(1 + list_bytes));
  return 0;
}
