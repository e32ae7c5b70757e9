// SPDX-License-Identifier: Apache-2.0
// Compiled in front of each source of the extension that calls SQLite: all calls go to the SQLite
// of the program that loads the extension. It may have one of its own, of another version than the
// system's.
#pragma once

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3
