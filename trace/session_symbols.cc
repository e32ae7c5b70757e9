// SPDX-License-Identifier: Apache-2.0
#include "trace/session_symbols.h"

#include <unistd.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/frame.h"

namespace gordian {
namespace {

std::string PathIn(const std::string& directory, const char* file) {
  return absl::StrCat(directory, "/", file);
}

struct FileContent {
  std::string path;
  std::vector<uint8_t> bytes;
};

absl::StatusOr<FileContent> ReadWhole(const std::string& path) {
  const auto file = OpenFile(path);
  if (!file.ok()) return file.status();
  if (file->size_bytes > kMaxSymbolsBytes)
    return absl::DataLossError(absl::StrCat(path, " is larger than such a file can be"));
  FileContent content{.path = path, .bytes = std::vector<uint8_t>(file->size_bytes)};
  const auto size = ReadAt(file->handle, 0, content.bytes, path);
  if (!size.ok()) return size.status();
  content.bytes.resize(*size);
  return content;
}

// Parses the contents of a frame, or without a frame the whole file. False if that is no message.
bool Parse(const FileContent& content, bool framed, pb::Symbols& symbols) {
  if (!framed)
    return symbols.ParseFromArray(content.bytes.data(), static_cast<int>(content.bytes.size()));
  const unsigned long long raw_bytes =  // NOLINT(google-runtime-int): zstd's type
      ZSTD_getFrameContentSize(content.bytes.data(), content.bytes.size());
  if (raw_bytes > kMaxSymbolsBytes) return false;  // its error values are larger still
  FrameDecompressor decompressor;
  const auto raw = decompressor.Decompress(content.bytes, static_cast<uint32_t>(raw_bytes));
  return raw.ok() && symbols.ParseFromArray(raw->data(), static_cast<int>(raw->size()));
}

bool AllBelow(const google::protobuf::RepeatedField<uint32_t>& indices, int size) {
  for (const uint32_t index : indices)
    if (index >= static_cast<uint32_t>(size)) return false;
  return true;
}

bool IsConsistent(const pb::Symbols& symbols) {
  const auto is_text = [&](uint32_t index) {
    return index < static_cast<uint32_t>(symbols.text_size());
  };
  for (const pb::SymbolFrame& frame : symbols.frames())
    if (!is_text(frame.function()) || !is_text(frame.file()) || !is_text(frame.module()))
      return false;
  for (const pb::StackFrames& stack : symbols.stacks())
    if (!AllBelow(stack.kernel(), symbols.frames_size()) ||
        !AllBelow(stack.user(), symbols.frames_size()))
      return false;
  for (const pb::ProcessImage& process : symbols.processes())
    for (const pb::ProcessMapping& mapping : process.mappings())
      if (!is_text(mapping.path())) return false;
  return symbols.text(0).empty();
}

}  // namespace

absl::StatusOr<pb::Symbols> ReadSymbols(const std::string& directory) {
  auto content = ReadWhole(PathIn(directory, kSymbolsFile));
  const bool framed = !absl::IsNotFound(content.status());
  if (!framed) content = ReadWhole(PathIn(directory, kPlainSymbolsFile));
  if (!content.ok()) return content.status();
  pb::Symbols symbols;
  const bool parsed = Parse(*content, framed, symbols);
  if (parsed && symbols.text_size() == 0) symbols.add_text();
  if (!parsed || !IsConsistent(symbols))
    return absl::DataLossError(absl::StrCat(content->path,
                                            " is damaged: code has no names; gordian symbolize ",
                                            directory, " makes it again"));
  return symbols;
}

absl::StatusOr<std::string> PackSymbols(const pb::Symbols& symbols) {
  const std::string raw = symbols.SerializeAsString();
  if (raw.size() > kMaxSymbolsBytes)
    return absl::ResourceExhaustedError(
        absl::StrCat("the names of the code take ", raw.size(), " bytes"));
  std::vector<uint8_t> packed;
  FrameCompressor compressor;
  if (auto status =
          compressor.Compress({reinterpret_cast<const uint8_t*>(raw.data()), raw.size()}, packed);
      !status.ok())
    return status;
  return std::string(packed.begin(), packed.end());
}

absl::Status WritePackedSymbols(const std::string& directory, const std::string& packed) {
  if (auto status = ReplaceFile(PathIn(directory, kSymbolsFile), packed); !status.ok())
    return status;
  unlink(PathIn(directory, kPlainSymbolsFile).c_str());  // never read again; mostly not there
  return absl::OkStatus();
}

absl::Status WriteSymbols(const std::string& directory, const pb::Symbols& symbols) {
  const auto packed = PackSymbols(symbols);
  return packed.ok() ? WritePackedSymbols(directory, *packed) : packed.status();
}

}  // namespace gordian
