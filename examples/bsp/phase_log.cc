// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/phase_log.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "probe/gordian_probe.hpp"

namespace bsp {
namespace {

uint64_t NowNs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// As it may stand in a JSON string: host names have nothing to escape, but no rule enforces that.
std::string NodeName() {
  char name[HOST_NAME_MAX + 1] = {};
  gethostname(name, sizeof(name) - 1);
  std::string node = name;
  std::replace_if(
      node.begin(), node.end(),
      [](char letter) {
        return letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < 32;
      },
      '_');
  return node;
}

const char* NameOf(PhaseEvent::Kind kind) {
  switch (kind) {
    case PhaseEvent::Kind::kBegin:
      return "begin";
    case PhaseEvent::Kind::kEnd:
      return "end";
    case PhaseEvent::Kind::kBlockedBegin:
      return "blocked_begin";
    case PhaseEvent::Kind::kBlockedEnd:
      return "blocked_end";
  }
  return "";
}

void WriteLine(const PhaseEvent& event, const std::string& node, FILE* file) {
  std::fprintf(file, R"({"time_ns":%llu,"event":"%s",)",
               static_cast<unsigned long long>(event.time_ns), NameOf(event.kind));
  if (*event.resource != 0) std::fprintf(file, R"("resource":"%s",)", event.resource);
  std::fprintf(file, R"("phase":"%s","node":"%s","pid":%d,"tid":%d)", event.path.c_str(),
               node.c_str(), getpid(), event.tid);
  if (event.kind == PhaseEvent::Kind::kEnd) {
    std::fprintf(file, R"(,"cpu_ns":%llu)", static_cast<unsigned long long>(event.cpu_ns));
  }
  std::fputs("}\n", file);
}

}  // namespace

void PhaseLog::Add(std::vector<PhaseEvent> events) {
  const std::lock_guard lock(mutex_);
  std::move(events.begin(), events.end(), std::back_inserter(events_));
}

bool PhaseLog::Write(const std::string& path) {
  if (path.empty()) return true;
  FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const std::lock_guard lock(mutex_);
  std::stable_sort(events_.begin(), events_.end(),
                   [](const PhaseEvent& a, const PhaseEvent& b) { return a.time_ns < b.time_ns; });
  const std::string node = NodeName();
  for (const PhaseEvent& event : events_) WriteLine(event, node, file);
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

ThreadPhases::ThreadPhases(PhaseLog& log) : log_(log), tid_(gettid()) {}

ThreadPhases::~ThreadPhases() { log_.Add(std::move(events_)); }

void ThreadPhases::Begin(std::string_view parent_path, const std::string& name,
                         const std::string& key) {
  std::string path(parent_path);
  path += '/' + name;
  if (!key.empty()) path += '[' + key + ']';
  open_.push_back({std::move(path), NowNs(CLOCK_THREAD_CPUTIME_ID)});
  Add(PhaseEvent::Kind::kBegin, 0, "");
  gordian::phase_begin(name.c_str(), key.c_str());
}

void ThreadPhases::End() {
  gordian::phase_end();
  const uint64_t cpu_ns = NowNs(CLOCK_THREAD_CPUTIME_ID) - open_.back().cpu_begin_ns;
  Add(PhaseEvent::Kind::kEnd, cpu_ns, "");
  open_.pop_back();
}

void ThreadPhases::BeginBlocked(const char* resource) {
  blocked_by_ = resource;
  Add(PhaseEvent::Kind::kBlockedBegin, 0, resource);
  gordian::phase_begin((std::string("blocked:") + resource).c_str());
}

void ThreadPhases::EndBlocked() {
  gordian::phase_end();
  Add(PhaseEvent::Kind::kBlockedEnd, 0, blocked_by_);
}

void ThreadPhases::Add(PhaseEvent::Kind kind, uint64_t cpu_ns, const char* resource) {
  events_.push_back({.time_ns = NowNs(CLOCK_MONOTONIC),
                     .kind = kind,
                     .tid = tid_,
                     .cpu_ns = cpu_ns,
                     .path = path(),
                     .resource = resource});
}

}  // namespace bsp
