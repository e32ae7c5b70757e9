// SPDX-License-Identifier: Apache-2.0
// The units of one level of the hierarchy (views/units.h), numbered from 0: what amounts, trends
// and matrices are told by.
//
// Processes without a container are, at that level, one unit for each node, numbered behind the
// containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "views/units.h"

namespace gordian {

inline constexpr uint32_t kNoUnit = 0xffffffff;

size_t UnitCount(const Units& units, UnitLevel level);
// The unit of that level that holds a thread, or a process (not at kThread).
uint32_t UnitOfThread(const Units& units, UnitLevel level, EntityId thread);
uint32_t UnitOfProcess(const Units& units, UnitLevel level, uint32_t process);
// … that holds what is known to be on a node, but not in which process; kNoUnit below nodes.
uint32_t UnitOfNode(const Units& units, UnitLevel level, uint32_t node);

// thread, process, container, node, rack
std::string_view NameOf(UnitLevel level);

// As people read it, clean text: worker/17, "db1: postgres/4711", web1, …
std::string UnitName(const Units& units, UnitLevel level, uint32_t unit, const Timeline& timeline);

}  // namespace gordian
