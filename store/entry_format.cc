// SPDX-License-Identifier: Apache-2.0
#include "store/entry_format.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>
#include <utility>

#include "absl/strings/str_format.h"

namespace gordian {
namespace {

constexpr std::array<char, 8> kEntryMagic = {'\x8b', 'G', 'D', 'S', 'T', 'O', 'R', 'E'};
// Fits the processor's cache while it is read and hashed.
constexpr size_t kHashStepBytes = 256 << 10;

struct EntryHeader {
  std::array<char, 8> magic = kEntryMagic;
  uint32_t version = kEntryVersion;
  uint32_t header_bytes = kEntryHeaderBytes;
  uint64_t total_bytes = 0;  // of the file
  uint64_t table_offset = 0;
  uint64_t table_bytes = 0;
  uint64_t table_hash = 0;
  uint64_t reserved = 0;
  uint64_t hash = 0;  // of all bytes before it
};
static_assert(sizeof(EntryHeader) == kEntryHeaderBytes);
static_assert(std::has_unique_object_representations_v<EntryHeader>);

uint64_t HashOfHeader(const EntryHeader& header) {
  return XXH3_64bits(&header, offsetof(EntryHeader, hash));
}

template <typename Number>
void PutNumber(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void PutText(std::string_view text, std::string& out) {
  PutNumber(static_cast<uint32_t>(text.size()), out);
  out.append(text);
}

// Takes numbers and texts off the front. The first that is not there, or too long, ends it: all
// that follow are empty, too.
class TableReader {
 public:
  explicit TableReader(std::string_view rest) : rest_(rest) {}
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }
  size_t bytes_left() const { return rest_.size(); }

  template <typename Number>
  Number TakeNumber() {
    Number number = 0;
    if (!Has(sizeof(number))) return 0;
    std::memcpy(&number, rest_.data(), sizeof(number));
    rest_.remove_prefix(sizeof(number));
    return number;
  }
  std::string TakeText() {
    const auto bytes = TakeNumber<uint32_t>();
    if (bytes > kMaxTextBytes || !Has(bytes)) return Fail();
    std::string text(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    return text;
  }

 private:
  bool Has(size_t bytes) {
    ok_ = ok_ && bytes <= rest_.size();
    return ok_;
  }
  std::string Fail() {
    ok_ = false;
    return {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

bool IsInContent(uint64_t offset, uint64_t bytes, uint64_t table_offset) {
  return offset >= PageBytes() && offset % PageBytes() == 0 && offset <= table_offset &&
         bytes <= table_offset - offset;
}

bool TakeSection(TableReader& reader, uint64_t table_offset, StoredSection& section) {
  section.name = reader.TakeText();
  section.bytes = reader.TakeNumber<uint64_t>();
  if (!reader.ok() || section.name.empty() || section.bytes > table_offset) return false;
  const uint64_t count = ChunkCount(section.bytes);
  if (count > reader.bytes_left() / sizeof(StoredChunk)) return false;
  section.chunks.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    StoredChunk& chunk = section.chunks[i];
    chunk.offset = reader.TakeNumber<uint64_t>();
    chunk.hash = reader.TakeNumber<uint64_t>();
    if (!IsInContent(chunk.offset, ChunkBytes(section.bytes, i), table_offset)) return false;
  }
  return true;
}

bool NamesDiffer(const std::vector<StoredSection>& sections) {
  std::set<std::string_view> names;
  return std::all_of(sections.begin(), sections.end(), [&](const StoredSection& section) {
    return names.insert(section.name).second;
  });
}

bool ChunksLieApart(const std::vector<StoredSection>& sections) {
  std::vector<std::pair<uint64_t, uint64_t>> stretches;  // begin and end
  for (const StoredSection& section : sections) {
    for (size_t i = 0; i < section.chunks.size(); ++i) {
      const uint64_t begin = section.chunks[i].offset;
      stretches.emplace_back(begin, begin + ChunkBytes(section.bytes, i));
    }
  }
  std::sort(stretches.begin(), stretches.end());
  for (size_t i = 1; i < stretches.size(); ++i)
    if (stretches[i].first < stretches[i - 1].second) return false;
  return true;
}

absl::Status Damaged(const char* what) { return absl::DataLossError(what); }

absl::StatusOr<EntryHeader> ReadHeader(const FileHandle& file) {
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return SystemError(errno, "cannot inspect", "an entry");
  EntryHeader header;
  std::array<uint8_t, kEntryHeaderBytes> bytes;
  const absl::StatusOr<size_t> got = ReadAt(file, 0, bytes, "an entry");
  if (!got.ok()) return got.status();
  if (*got != bytes.size()) return Damaged("an entry is cut within its header");
  std::memcpy(&header, bytes.data(), bytes.size());
  if (header.magic != kEntryMagic || header.version != kEntryVersion ||
      header.header_bytes != kEntryHeaderBytes || header.hash != HashOfHeader(header))
    return Damaged("an entry's header does not check");
  if (header.total_bytes != static_cast<uint64_t>(status.st_size) ||
      header.table_offset > header.total_bytes || header.table_offset < kEntryHeaderBytes ||
      header.table_bytes != header.total_bytes - header.table_offset ||
      header.table_bytes > kMaxTableBytes)
    return Damaged("an entry has another size than it says");
  return header;
}

}  // namespace

uint64_t PageBytes() {
  static const auto bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t RoundUpToPage(uint64_t bytes) {
  return (bytes + PageBytes() - 1) / PageBytes() * PageBytes();
}

uint64_t ChunkCount(uint64_t section_bytes) {
  return section_bytes / kChunkBytes + (section_bytes % kChunkBytes != 0 ? 1 : 0);
}

uint64_t ChunkBytes(uint64_t section_bytes, uint64_t index) {
  return std::min(kChunkBytes, section_bytes - index * kChunkBytes);
}

uint64_t ContentHash(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string MemberPrefix(std::string_view member) { return std::string(member) + "/"; }

std::string EntryFileName(const StoreKey& key) {
  std::string text;
  PutNumber(kEntryVersion, text);
  PutNumber(key.format, text);
  for (const std::string* part : {&key.recording, &key.stage, &key.options}) PutText(*part, text);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

std::string EncodeTable(const EntryTable& table) {
  std::string out;
  for (const std::string* text :
       {&table.key.recording, &table.key.stage, &table.key.options, &table.recording_path})
    PutText(*text, out);
  PutNumber(table.key.format, out);
  PutNumber(table.stored_realtime_ns, out);
  for (const StoredSection& section : table.sections) {
    PutText(section.name, out);
    PutNumber(section.bytes, out);
    for (const StoredChunk& chunk : section.chunks) {
      PutNumber(chunk.offset, out);
      PutNumber(chunk.hash, out);
    }
  }
  return out;
}

std::optional<EntryTable> DecodeTable(std::string_view bytes, uint64_t table_offset) {
  TableReader reader(bytes);
  EntryTable table;
  for (std::string* text :
       {&table.key.recording, &table.key.stage, &table.key.options, &table.recording_path})
    *text = reader.TakeText();
  table.key.format = reader.TakeNumber<uint32_t>();
  table.stored_realtime_ns = reader.TakeNumber<int64_t>();
  if (!reader.ok()) return std::nullopt;
  // Each takes some bytes off, so this ends.
  while (!reader.AtEnd()) {
    if (!TakeSection(reader, table_offset, table.sections.emplace_back())) return std::nullopt;
  }
  if (!NamesDiffer(table.sections) || !ChunksLieApart(table.sections)) return std::nullopt;
  return table;
}

std::array<std::byte, kEntryHeaderBytes> EncodeHeader(uint64_t table_offset,
                                                      std::string_view table) {
  EntryHeader header;
  header.total_bytes = table_offset + table.size();
  header.table_offset = table_offset;
  header.table_bytes = table.size();
  header.table_hash = XXH3_64bits(table.data(), table.size());
  header.hash = HashOfHeader(header);
  std::array<std::byte, kEntryHeaderBytes> bytes;
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

absl::StatusOr<EntryTable> ReadEntryTable(const FileHandle& file) {
  const absl::StatusOr<EntryHeader> header = ReadHeader(file);
  if (!header.ok()) return header.status();
  std::vector<uint8_t> bytes(header->table_bytes);
  const absl::StatusOr<size_t> got = ReadAt(file, header->table_offset, bytes, "an entry");
  if (!got.ok()) return got.status();
  if (*got != bytes.size() || XXH3_64bits(bytes.data(), bytes.size()) != header->table_hash)
    return Damaged("an entry's table does not check");
  std::optional<EntryTable> table = DecodeTable(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, header->table_offset);
  if (!table) return Damaged("an entry's table breaks a rule");
  return *std::move(table);
}

absl::StatusOr<uint64_t> HashOfFile(const FileHandle& file, uint64_t offset, uint64_t bytes,
                                    std::vector<uint8_t>& scratch) {
  scratch.resize(std::min<uint64_t>(kHashStepBytes, bytes));
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  for (const uint64_t end = offset + bytes; offset < end;) {
    const auto step = std::span(scratch).first(std::min<uint64_t>(kHashStepBytes, end - offset));
    const absl::StatusOr<size_t> got = ReadAt(file, offset, step, "an entry");
    if (!got.ok()) return got.status();
    if (*got != step.size()) return Damaged("an entry became shorter");
    XXH3_64bits_update(state.get(), step.data(), step.size());
    offset += step.size();
  }
  return XXH3_64bits_digest(state.get());
}

}  // namespace gordian
