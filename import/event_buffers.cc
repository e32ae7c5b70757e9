// SPDX-License-Identifier: Apache-2.0
#include "import/event_buffers.h"

#include <string>
#include <utility>

namespace gordian {

EventBuffers::Stream& EventBuffers::StreamOf(uint16_t cpu) {
  if (last_ != nullptr && last_->block.cpu == cpu) return *last_;
  last_ = &streams_[cpu];
  last_->block.cpu = cpu;
  return *last_;
}

absl::Status EventBuffers::Hand(Stream& stream) {
  held_ -= stream.block.events.size();
  stream.names.clear();
  absl::Status status = sink_.events(stream.block);
  stream.block.Clear();
  return status;
}

absl::Status EventBuffers::Added(Stream& stream) {
  ++events_;
  ++held_;
  if (held_ >= kTotalEvents) return Flush();
  if (stream.block.events.size() >= kBlockEvents) return Hand(stream);
  return absl::OkStatus();
}

absl::Status EventBuffers::Add(const TraceEvent& event) {
  Stream& stream = StreamOf(event.cpu);
  stream.block.events.push_back(event);
  return Added(stream);
}

absl::Status EventBuffers::AddTask(uint16_t cpu, uint64_t time_ns, TaskRecord task) {
  Stream& stream = StreamOf(cpu);
  stream.block.AddTask(time_ns, std::move(task));
  return Added(stream);
}

absl::Status EventBuffers::AddStack(uint16_t cpu, uint64_t time_ns, StackRecord stack) {
  Stream& stream = StreamOf(cpu);
  stream.block.AddStack(time_ns, std::move(stack));
  return Added(stream);
}

absl::Status EventBuffers::AddNamedProbe(TraceEvent event, std::string_view name) {
  Stream& stream = StreamOf(event.cpu);
  if (stream.block.names.empty()) stream.block.names.emplace_back();
  const auto [entry, is_new] =
      stream.names.try_emplace(std::string(name), stream.block.names.size());
  if (is_new) stream.block.names.emplace_back(name);
  event.probe.name = entry->second;
  stream.block.events.push_back(event);
  return Added(stream);
}

absl::Status EventBuffers::AddKnownThread(uint64_t time_ns, TaskRecord task) {
  ++events_;
  known_threads_.cpu = kNoCpu;
  known_threads_.AddTask(time_ns, std::move(task));
  if (known_threads_.events.size() < kBlockEvents) return absl::OkStatus();
  absl::Status status = sink_.tasks(known_threads_);
  known_threads_.Clear();
  return status;
}

absl::Status EventBuffers::Flush() {
  if (!known_threads_.empty()) {
    if (absl::Status status = sink_.tasks(known_threads_); !status.ok()) return status;
    known_threads_.Clear();
  }
  for (auto& [cpu, stream] : streams_) {
    if (stream.block.empty()) continue;
    if (absl::Status status = Hand(stream); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
