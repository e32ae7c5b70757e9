// SPDX-License-Identifier: Apache-2.0
#include "cli/own_store.h"

#include <iostream>
#include <string>

#include "words/clean_text.h"

namespace gordian {

void TellNotKept(const absl::Status& status, bool quiet) {
  if (!quiet)
    std::cerr << "gordian: the result is not kept for the next time: "
              << CleanText(std::string(status.message())) << "\n";
}

Store OpenOwnStore(bool quiet) {
  const auto options = StoreOptionsFromEnvironment();
  auto store = options.ok() ? Store::Open(*options) : options.status();
  if (store.ok()) return *std::move(store);
  TellNotKept(store.status(), quiet);
  return {};
}

Store OpenOwnStoreForReading() {
  auto options = StoreOptionsFromEnvironment();
  if (!options.ok()) return {};
  options->if_absent = IfAbsent::kLeave;
  return Store::Open(*options).value_or(Store());
}

}  // namespace gordian
