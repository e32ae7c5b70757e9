// SPDX-License-Identifier: Apache-2.0
#include "symbols/module_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "symbols/cached_names.pb.h"
#include "symbols/module_child.h"
#include "symbols/spin_loop.h"

namespace gordian {
namespace {

// The numbers change whenever answers on the same files would.
constexpr int kAnswersVersion = 1;
constexpr int kFunctionsVersion = 1;
// Of one module: beyond that only the newest are kept.
constexpr size_t kMaxKeptAnswers = 50'000;

std::string AnswersKey(const ModuleFiles& files) {
  return absl::StrCat("names ", kAnswersVersion, " ", files.identity);
}

class StringNumbers {
 public:
  explicit StringNumbers(pb::CachedNames& names) : names_(names) { Of(""); }
  uint32_t Of(const std::string& text) {
    const auto [at, is_new] =
        numbers_.try_emplace(text, static_cast<uint32_t>(names_.strings_size()));
    if (is_new) names_.add_strings(text);
    return at->second;
  }

 private:
  pb::CachedNames& names_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

}  // namespace

std::string PackAnswers(const Offsets& answers) {
  pb::CachedNames names;
  StringNumbers numbers(names);
  for (const auto& [offset, place] : answers) {
    pb::CachedPlace& told = *names.add_places();
    told.set_offset(offset);
    told.set_spins(place.spins);
    for (const Frame& frame : place.frames) {
      pb::SymbolReplyFrame& one = *told.add_frames();
      one.set_function(numbers.Of(frame.function));
      one.set_file(numbers.Of(frame.file));
      one.set_line(frame.line);
      one.set_inlined(frame.inlined);
    }
  }
  return names.SerializeAsString();
}

std::optional<Offsets> UnpackAnswers(std::string_view bytes, uint32_t max_inline_depth) {
  pb::CachedNames names;
  if (!names.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return {};
  Offsets answers;
  for (const pb::CachedPlace& told : names.places()) {
    if (static_cast<uint32_t>(told.frames_size()) > max_inline_depth) return {};
    Place& place = answers[told.offset()];
    place.spins = told.spins();
    place.frames.clear();
    for (const pb::SymbolReplyFrame& frame : told.frames())
      if (!TakeFrame(names.strings(), frame, place.frames.emplace_back())) return {};
  }
  return answers;
}

std::optional<FunctionList> ModuleReader::FunctionsOf(const ModuleFiles& files) {
  const std::string key = absl::StrCat("functions ", kFunctionsVersion, " ", files.identity);
  if (!files.identity.empty()) {
    if (const auto kept = cache_.Load(key)) {
      if (auto list = FunctionList::Parse(*kept)) return list;
    }
  }
  const std::optional<std::string> read = ListFunctionsInChild(files, limits_, counters_);
  if (!read) return {};
  std::optional<FunctionList> list = FunctionList::Parse(*read);
  if (list && !files.identity.empty() && files.AreUnchanged()) cache_.Store(key, *read);
  return list;
}

bool ModuleReader::ReadNew(const ModuleFiles& files, std::span<const Wanted> wanted,
                           Offsets& answers) {
  std::vector<uint64_t> addresses;
  addresses.reserve(wanted.size());
  for (const Wanted& one : wanted) addresses.push_back(one.address);
  bool whole = true;
  std::vector<std::vector<Frame>> frames(wanted.size());
  if (const auto list = FunctionsOf(files); list && list->is_enough()) {
    std::vector<std::string_view> names;
    names.reserve(addresses.size());
    for (const uint64_t address : addresses) names.push_back(list->NameAt(address));
    frames = MakeReadable(names, limits_, counters_, whole);
  } else {
    frames = NameInChild(files, addresses, limits_, counters_, whole);
  }
  const SpinLoops spin_loops(files.image.get());
  for (size_t i = 0; i < wanted.size(); ++i)
    answers.insert_or_assign(wanted[i].offset,
                             Place{std::move(frames[i]), spin_loops.HasOneAt(wanted[i].offset)});
  return whole;
}

Offsets ModuleReader::Read(const ModuleFiles& files, std::span<const Wanted> wanted) {
  Offsets kept;
  if (!files.identity.empty()) {
    if (const auto bytes = cache_.Load(AnswersKey(files)))
      kept = UnpackAnswers(*bytes, limits_.max_inline_depth).value_or(Offsets());
  }
  Offsets answers;
  std::vector<Wanted> missing;
  for (const Wanted& one : wanted) {
    const auto known = kept.find(one.offset);
    if (known == kept.end()) {
      missing.push_back(one);
    } else {
      answers.insert(*known);
    }
  }
  if (missing.empty() || !ReadNew(files, missing, answers)) return answers;
  if (files.identity.empty() || !files.AreUnchanged()) return answers;
  if (kept.size() + missing.size() > kMaxKeptAnswers) kept.clear();
  kept.insert(answers.begin(), answers.end());
  cache_.Store(AnswersKey(files), PackAnswers(kept));
  return answers;
}

}  // namespace gordian
