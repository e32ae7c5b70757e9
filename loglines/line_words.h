// SPDX-License-Identifier: Apache-2.0
// Rare words: what two lines have in common that hardly any other line has is a request's number,
// an address, a user's name. So lines about the same thing are found where no wake leads to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gordian {

// Its words: letters, digits and - _ . : / @ in a row, without these marks at their ends; at least
// three of them. Each once, in order.
std::vector<std::string_view> WordsOf(std::string_view line);

// Counts in how many lines the words of one line stand, and keeps these lines.
class WordLines {
 public:
  // `line`: the one whose words are looked for; `begin` to `end` of it is its stamp, no word.
  WordLines(std::string_view line, size_t begin, size_t end);

  struct Place {
    uint32_t file = 0;
    uint64_t number = 0;
    std::string text;  // its beginning
  };
  void Take(uint32_t file, uint64_t number, std::string_view line);

  struct Word {
    std::string word;
    uint64_t lines = 0;  // that have it
  };
  struct Related {
    Place place;
    std::vector<std::string> words;  // the rare ones that it has, rarest first
    double weight = 0;               // how rare they are together
  };
  // Rare is a word that at most √n of n lines have: log n is as many bits as it takes to tell a
  // line from the others, and such a word gives half of them. Without a bound that grows with the
  // logs, "request" would be rare in a small log or a request's number common in a large one.
  std::vector<Word> RareWords() const;
  // The lines with rare words, those with the rarest first.
  std::vector<Related> LinesWithRareWords() const;
  uint64_t lines() const { return lines_; }

 private:
  struct Seen {
    uint64_t lines = 0;
    std::vector<uint32_t> kept;  // in kept_
  };
  uint64_t MostForRare() const;
  double WeightOf(const Seen& seen) const;

  std::vector<std::string> words_;
  absl::flat_hash_map<std::string, Seen> seen_;
  std::vector<Place> kept_;
  uint64_t lines_ = 0;
};

}  // namespace gordian
