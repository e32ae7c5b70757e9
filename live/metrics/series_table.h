// SPDX-License-Identifier: Apache-2.0
// The samples of one family: bounded at once, and over time.
//
// Threads come and go, and so do their names. A reader keeps each name for hours. So the table has
// places for `most` names; a place is free again when its name was in no frame for an hour. A name
// that gets no place counts as "other".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gordian {

class SeriesTable {
 public:
  using Labels = std::vector<std::string>;

  enum class Lifetime {
    kFrame,   // gauges: what the last frame did not tell is not there
    kGrowing  // counters: they only grow; a name that loses its place is no longer there
  };

  SeriesTable(size_t label_count, size_t most, Lifetime lifetime)
      : other_(label_count, "other"), most_(most), lifetime_(lifetime) {}

  // A frame begins, at this time of the recording.
  void Begin(double at_s);
  // Adds the value to that of the labels, which are made clean and short. Names get places in the
  // order in which they come: the heaviest is first.
  void Add(const Labels& labels, double value);
  void AddOther(double value);

  // By labels.
  std::map<Labels, double> Samples() const;

 private:
  struct Entry {
    double value = 0;
    double seen_s = 0;
    bool is_told = false;  // by this frame
  };

  Labels other_;
  size_t most_;
  Lifetime lifetime_;
  double now_s_ = 0;
  std::map<Labels, Entry> entries_;  // but for other_
  Entry rest_;
};

}  // namespace gordian
