// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/tracing_data.h"

#include <string_view>

#include "fmt/format.h"
#include "import/csv_fields.h"

namespace gordian {
namespace {

absl::Status DescriptionIsCut() {
  return absl::InvalidArgumentError("the description of the events is cut");
}

// A name, the size of a text, and the text, which nothing here needs.
bool SkipNamedText(ByteCursor& bytes, std::string_view expected) {
  std::string_view name;
  uint64_t size = 0;
  return bytes.TakeZeroEnded(name) && name == expected && bytes.Take(size) && bytes.Skip(size);
}

}  // namespace

absl::Status ReadFormatList(ByteCursor& bytes, RawEvents& events) {
  uint32_t count = 0;
  if (!bytes.Take(count)) return DescriptionIsCut();
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t size = 0;
    std::string_view format;
    if (!bytes.Take(size) || !bytes.TakeText(size, format)) return DescriptionIsCut();
    if (absl::Status status = events.Describe(format); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReadSystemFormats(ByteCursor& bytes, RawEvents& events) {
  uint32_t systems = 0;
  if (!bytes.Take(systems)) return DescriptionIsCut();
  for (uint32_t i = 0; i < systems; ++i) {
    std::string_view system;
    if (!bytes.TakeZeroEnded(system)) return DescriptionIsCut();
    if (absl::Status status = ReadFormatList(bytes, events); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReadTracingData(ByteCursor& bytes, RawEvents& events, TracingData& data) {
  std::string_view magic;
  std::string_view version;
  uint8_t big_endian = 0;
  uint8_t long_bytes = 0;
  if (!bytes.TakeText(kTracingMagic.size(), magic) || magic != kTracingMagic)
    return absl::InvalidArgumentError("no description of events begins here");
  if (!bytes.TakeZeroEnded(version) || !bytes.Take(big_endian) || !bytes.Take(long_bytes) ||
      !bytes.Take(data.page_bytes))
    return DescriptionIsCut();
  if (version != "0.5" && version != "0.6" && version != "6")
    return absl::InvalidArgumentError(
        fmt::format("version {} of the description is not known", Quoted(version)));
  if (big_endian != 0)
    return absl::InvalidArgumentError("was written on a machine with another order of bytes");
  data.is_long_64 = long_bytes == 8;
  if (!SkipNamedText(bytes, "header_page") || !SkipNamedText(bytes, "header_event"))
    return DescriptionIsCut();
  if (absl::Status status = ReadFormatList(bytes, events); !status.ok()) return status;
  if (absl::Status status = ReadSystemFormats(bytes, events); !status.ok()) return status;
  uint32_t symbols_bytes = 0;
  uint32_t formats_bytes = 0;
  if (!bytes.Take(symbols_bytes) || !bytes.Skip(symbols_bytes) || !bytes.Take(formats_bytes) ||
      !bytes.Skip(formats_bytes))
    return DescriptionIsCut();
  if (version == "0.5") return absl::OkStatus();
  // Names of threads, of dead ones, too: the events tell those that matter.
  uint64_t names_bytes = 0;
  if (!bytes.Take(names_bytes) || !bytes.Skip(names_bytes)) return DescriptionIsCut();
  return absl::OkStatus();
}

}  // namespace gordian
