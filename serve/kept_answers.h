// SPDX-License-Identifier: Apache-2.0
// What requests made of an analysis, kept for the next ones: an index, a table, a list of all
// requests.
//
//   auto units = request.served->kept().Get<Units>("", [&] { return UnitsOf(request.analysis());
//   }); if (!units.ok()) return units.status(); Use(**units);
//
// Thread-safe. Requests that want the same thing at once make it once. Errors are not kept.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>

#include "absl/status/statusor.h"

namespace gordian {

class KeptAnswers {
 public:
  // Beyond so many, what was used longest ago goes; whoever holds it still has it.
  explicit KeptAnswers(size_t most = 32) : most_(most) {}

  // `make` gives a T or an absl::StatusOr<T>. `key` parts those of one type.
  template <typename T, typename Make>
  absl::StatusOr<std::shared_ptr<const T>> Get(const std::string& key, const Make& make) {
    const std::shared_ptr<Place> place = PlaceOf({std::type_index(typeid(T)), key});
    const std::lock_guard lock(place->mutex);
    if (place->value == nullptr) {
      absl::StatusOr<T> made = make();
      if (!made.ok()) return made.status();
      place->value = std::make_shared<const T>(*std::move(made));
    }
    return std::static_pointer_cast<const T>(place->value);
  }

 private:
  using Key = std::pair<std::type_index, std::string>;
  struct Place {
    std::mutex mutex;  // held while the value is made
    std::shared_ptr<const void> value;
    uint64_t used = 0;  // under the mutex of all
  };
  std::shared_ptr<Place> PlaceOf(const Key& key);

  const size_t most_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Place>> places_;
  uint64_t uses_ = 0;
};

}  // namespace gordian
