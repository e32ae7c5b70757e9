// SPDX-License-Identifier: Apache-2.0
// One session of a daemon's as JSON, for all that show sessions.
#pragma once

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cstdint>
#include <string>

#include "schema/control.pb.h"

namespace gordian {

using SessionJson = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void WriteText(SessionJson& json, const char* key, const std::string& value);
void WriteNumber(SessionJson& json, const char* key, uint64_t value);
void WriteSession(SessionJson& json, const pb::SessionStatus& session);

// Finished sessions of older recorders do not tell; `gordian dump --summary` counts them.
bool KnowsItsEvents(const pb::SessionStatus& session);

}  // namespace gordian
