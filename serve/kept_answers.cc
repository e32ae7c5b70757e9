// SPDX-License-Identifier: Apache-2.0
#include "serve/kept_answers.h"

#include <algorithm>

namespace gordian {

std::shared_ptr<KeptAnswers::Place> KeptAnswers::PlaceOf(const Key& key) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Place>& place = places_[key];
  if (place == nullptr) place = std::make_shared<Place>();
  place->used = ++uses_;
  std::shared_ptr<Place> found = place;
  if (places_.size() > most_)
    places_.erase(std::min_element(
        places_.begin(), places_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; }));
  return found;
}

}  // namespace gordian
