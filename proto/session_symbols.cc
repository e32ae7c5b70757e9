#include "proto/session_symbols.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/file_io.h"

namespace gordian {
namespace {

std::string PathIn(const std::string& directory) {
  return absl::StrCat(directory, "/", kSymbolsFile);
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
  const std::string path = PathIn(directory);
  const auto file = OpenFile(path);
  if (!file.ok()) return file.status();
  if (file->size_bytes > kMaxSymbolsBytes)
    return absl::DataLossError(absl::StrCat(path, " is larger than such a file can be"));
  std::vector<uint8_t> bytes(file->size_bytes);
  const auto size = ReadAt(file->handle, 0, bytes, path);
  if (!size.ok()) return size.status();
  pb::Symbols symbols;
  const bool parsed = symbols.ParseFromArray(bytes.data(), static_cast<int>(*size));
  if (parsed && symbols.text_size() == 0) symbols.add_text();
  if (!parsed || !IsConsistent(symbols))
    return absl::DataLossError(absl::StrCat(
        path, " is damaged: code has no names; gordian symbolize ", directory, " makes it again"));
  return symbols;
}

absl::Status WriteSymbols(const std::string& directory, const pb::Symbols& symbols) {
  return ReplaceFile(PathIn(directory), symbols.SerializeAsString());
}

}  // namespace gordian
