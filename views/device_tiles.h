// SPDX-License-Identifier: Apache-2.0
// How busy a device was by pixel. Inner to the library.
#pragma once

#include <span>

#include "views/tile_columns.h"
#include "views/tiles.h"

namespace gordian {

// A disk: with anything in flight. An interface: as long as its bytes take in the busier direction
// at its speed, at most all the time; one without a known speed: relative to its busiest pixel.
void AddDevice(const TileSource& source, const TileColumns& columns, EntityId device,
               std::span<TileCell> cells);

}  // namespace gordian
