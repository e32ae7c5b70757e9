// SPDX-License-Identifier: Apache-2.0
// Adds entries up to a matrix, and bounds it. Inner to the library.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/matrix.h"

namespace gordian {

class MatrixMaker {
 public:
  // The number of a unit: the same for the same kind and number, or, without a number, name.
  uint32_t Unit(MatrixUnit unit);
  void Add(uint32_t from, uint32_t to, const MatrixEntry& amounts);
  // Only units with entries stay.
  Matrix Take(size_t most_units);

 private:
  struct Key {
    MatrixUnitKind kind = MatrixUnitKind::kUnit;
    uint32_t number = kNoUnit;
    std::string name;
    bool operator<(const Key& other) const {
      return std::tie(kind, number, name) < std::tie(other.kind, other.number, other.name);
    }
  };

  std::vector<MatrixUnit> units_;
  std::map<Key, uint32_t> numbers_;
  std::map<std::pair<uint32_t, uint32_t>, MatrixEntry> entries_;
};

}  // namespace gordian
