// SPDX-License-Identifier: Apache-2.0
#include "loglines/line_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/container/flat_hash_set.h"

namespace gordian {
namespace {

// A line of a megabyte is data, no sentence: its first words tell what it is about.
constexpr size_t kMostWords = 64;
constexpr size_t kMostSearchedBytes = 64u << 10;
constexpr size_t kLeastWordBytes = 3;
constexpr size_t kMostWordBytes = 256;
// Bounds what is kept of a word that turns out to be common: 64 words, 1,000 lines, 400 bytes each.
constexpr size_t kMostKeptOfWord = 1000;
constexpr size_t kMostKeptText = 400;

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.' || c == ':' || c == '/' || c == '@' || (c & 0x80) != 0;
}

bool IsMark(char c) { return c == '-' || c == '_' || c == '.' || c == ':' || c == '/' || c == '@'; }

template <typename Use>
void ForEachWord(std::string_view line, Use use) {
  line = line.substr(0, kMostSearchedBytes);
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() && IsWordByte(line[end])) ++end;
    std::string_view word = line.substr(at, end - at);
    at = end + 1;
    while (!word.empty() && IsMark(word.front())) word.remove_prefix(1);
    while (!word.empty() && IsMark(word.back())) word.remove_suffix(1);
    if (word.size() >= kLeastWordBytes && word.size() <= kMostWordBytes && !use(word)) return;
  }
}

}  // namespace

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  ForEachWord(line, [&words](std::string_view word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    return words.size() < kMostWords;
  });
  return words;
}

WordLines::WordLines(std::string_view line, size_t begin, size_t end) {
  std::string without(line);
  for (size_t i = begin; i < end && i < without.size(); ++i) without[i] = ' ';
  for (const std::string_view word : WordsOf(without)) {
    words_.emplace_back(word);
    seen_.try_emplace(std::string(word));
  }
}

void WordLines::Take(uint32_t file, uint64_t number, std::string_view line) {
  ++lines_;
  if (seen_.empty()) return;
  constexpr uint32_t kNotKept = UINT32_MAX;
  uint32_t kept = kNotKept;
  ForEachWord(line, [&](std::string_view word) {
    const auto found = seen_.find(absl::string_view(word.data(), word.size()));
    if (found == seen_.end()) return true;
    Seen& seen = found->second;
    if (kept != kNotKept && !seen.kept.empty() && seen.kept.back() == kept) return true;
    ++seen.lines;
    if (seen.kept.size() >= kMostKeptOfWord) return true;
    if (kept == kNotKept) {
      kept = static_cast<uint32_t>(kept_.size());
      kept_.push_back({file, number, std::string(line.substr(0, kMostKeptText))});
    }
    seen.kept.push_back(kept);
    return true;
  });
}

uint64_t WordLines::MostForRare() const {
  return static_cast<uint64_t>(std::sqrt(static_cast<double>(lines_)));
}

double WordLines::WeightOf(const Seen& seen) const {
  return std::log(static_cast<double>(lines_) / static_cast<double>(seen.lines));
}

std::vector<WordLines::Word> WordLines::RareWords() const {
  std::vector<Word> rare;
  for (const std::string& word : words_) {
    const Seen& seen = seen_.find(word)->second;
    if (seen.lines > 0 && seen.lines <= MostForRare()) rare.push_back({word, seen.lines});
  }
  std::stable_sort(rare.begin(), rare.end(),
                   [](const Word& a, const Word& b) { return a.lines < b.lines; });
  return rare;
}

std::vector<WordLines::Related> WordLines::LinesWithRareWords() const {
  std::map<uint32_t, Related> by_line;
  for (const Word& word : RareWords()) {
    const Seen& seen = seen_.find(word.word)->second;
    for (const uint32_t kept : seen.kept) {
      Related& related = by_line[kept];
      related.words.push_back(word.word);
      related.weight += WeightOf(seen);
    }
  }
  std::vector<Related> related;
  related.reserve(by_line.size());
  for (auto& [kept, line] : by_line) {
    line.place = kept_[kept];
    related.push_back(std::move(line));
  }
  std::stable_sort(related.begin(), related.end(),
                   [](const Related& a, const Related& b) { return a.weight > b.weight; });
  return related;
}

}  // namespace gordian
