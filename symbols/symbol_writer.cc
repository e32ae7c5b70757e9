// SPDX-License-Identifier: Apache-2.0
#include "symbols/symbol_writer.h"

#include <algorithm>

#include "google/protobuf/stubs/common.h"

namespace gordian {
namespace {

// Symbols and paths hold any bytes, and a message with a string that is no UTF-8 cannot be read
// again: such a text keeps only its plain characters.
std::string Utf8(std::string text) {
  if (google::protobuf::internal::IsStructurallyValidUTF8(text.data(),
                                                          static_cast<int>(text.size())))
    return text;
  for (char& byte : text)
    if (static_cast<unsigned char>(byte) >= 0x80) byte = '?';
  return text;
}

pb::ProcessMapping::Kind KindOf(MappingKind kind) {
  switch (kind) {
    case MappingKind::kFile:
      return pb::ProcessMapping::FILE;
    case MappingKind::kVdso:
      return pb::ProcessMapping::VDSO;
    case MappingKind::kAnonymous:
      return pb::ProcessMapping::ANONYMOUS;
  }
  return pb::ProcessMapping::ANONYMOUS;
}

MappingKind KindOf(pb::ProcessMapping::Kind kind) {
  switch (kind) {
    case pb::ProcessMapping::FILE:
      return MappingKind::kFile;
    case pb::ProcessMapping::VDSO:
      return MappingKind::kVdso;
    default:
      return MappingKind::kAnonymous;
  }
}

}  // namespace

SymbolWriter::SymbolWriter(pb::Symbols symbols) : symbols_(std::move(symbols)) {
  for (int i = 0; i < symbols_.text_size(); ++i) texts_.emplace(symbols_.text(i), i);
  for (int i = 0; i < symbols_.frames_size(); ++i) {
    const pb::SymbolFrame& frame = symbols_.frames(i);
    frames_.emplace(FrameKey{frame.function(), frame.file(), frame.line(), frame.module(),
                             frame.module_offset(), frame.inlined()},
                    i);
  }
}

uint32_t SymbolWriter::CopyFrame(const pb::SymbolFrame& frame, const pb::Symbols& from) {
  const auto text = [&](uint32_t index) { return Text(from.text(static_cast<int>(index))); };
  return FrameIndex({text(frame.function()), text(frame.file()), frame.line(), text(frame.module()),
                     frame.module_offset(), frame.inlined()});
}

uint32_t SymbolWriter::Text(const std::string& text) {
  const auto [entry, is_new] = texts_.try_emplace(text, symbols_.text_size());
  if (is_new) symbols_.add_text(Utf8(text));
  return entry->second;
}

void SymbolWriter::AddImage(int32_t tgid, uint32_t version, const ProcessMaps& maps) {
  pb::ProcessImage& image = *symbols_.add_processes();
  image.set_tgid(tgid);
  image.set_version(version);
  image.set_start_time_ticks(maps.start_time_ticks);
  image.set_namespaced_pid(maps.pid_in_namespace);
  for (const Mapping& mapping : maps.mappings) {
    pb::ProcessMapping& told = *image.add_mappings();
    told.set_start(mapping.start);
    told.set_end(mapping.end);
    told.set_file_offset(mapping.file_offset);
    told.set_path(Text(mapping.path));
    told.set_build_id(mapping.build_id);
    told.set_kind(KindOf(mapping.kind));
    told.set_device(mapping.device);
    told.set_inode(mapping.inode);
    told.set_deleted(mapping.deleted);
    for (const ModuleSegment& segment : mapping.segments) {
      pb::ModuleSegment& part = *told.add_segments();
      part.set_file_offset(segment.file_offset);
      part.set_size_bytes(segment.size_bytes);
      part.set_address(segment.address);
    }
  }
}

ProcessMaps ReadImage(const pb::ProcessImage& image, const pb::Symbols& symbols) {
  ProcessMaps maps{.pid = image.tgid(),
                   .pid_in_namespace = image.namespaced_pid(),
                   .start_time_ticks = image.start_time_ticks()};
  for (const pb::ProcessMapping& told : image.mappings()) {
    Mapping mapping{.start = told.start(),
                    .end = told.end(),
                    .file_offset = told.file_offset(),
                    .device = told.device(),
                    .inode = told.inode(),
                    .kind = KindOf(told.kind()),
                    .deleted = told.deleted(),
                    .path = symbols.text(static_cast<int>(told.path())),
                    .build_id = told.build_id()};
    for (const pb::ModuleSegment& part : told.segments())
      mapping.segments.push_back({part.file_offset(), part.size_bytes(), part.address()});
    maps.mappings.push_back(std::move(mapping));
  }
  // Looked up by address.
  std::sort(maps.mappings.begin(), maps.mappings.end(),
            [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
  return maps;
}

pb::StackFrames& SymbolWriter::AddStack(uint32_t stack_id) {
  pb::StackFrames& stack = *symbols_.add_stacks();
  stack.set_stack_id(stack_id);
  return stack;
}

void SymbolWriter::AddFrames(const ResolvedAddress& address,
                             google::protobuf::RepeatedField<uint32_t>& frames) {
  const uint32_t module = Text(address.module);
  if (address.frames.empty()) {
    frames.Add(FrameIndex({0, 0, 0, module, address.module_offset, false}));
    return;
  }
  // Where a function is known, its calls of the same line are one frame.
  for (const Frame& frame : address.frames)
    frames.Add(
        FrameIndex({Text(frame.function), Text(frame.file), frame.line, module, 0, frame.inlined}));
}

uint32_t SymbolWriter::FrameIndex(const FrameKey& key) {
  const auto [entry, is_new] = frames_.try_emplace(key, symbols_.frames_size());
  if (!is_new) return entry->second;
  const auto& [function, file, line, module, offset, inlined] = key;
  pb::SymbolFrame& frame = *symbols_.add_frames();
  frame.set_function(function);
  frame.set_file(file);
  frame.set_line(line);
  frame.set_module(module);
  frame.set_module_offset(offset);
  frame.set_inlined(inlined);
  return entry->second;
}

void SymbolWriter::AddCounters(const SymbolCounters& counters) {
  for (const auto& [name, value] : counters) {
    pb::SymbolCounter& counter = *symbols_.add_counters();
    counter.set_name(name);
    counter.set_value(value);
  }
}

void SymbolWriter::AddNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) symbols_.add_notes(Utf8(note));
}

}  // namespace gordian
