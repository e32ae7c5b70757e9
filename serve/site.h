// SPDX-License-Identifier: Apache-2.0
// What the server answers: the app's files, and the data of its views.
//
//   /, /app.js, /app.css        the app
//   /api/recordings             what is served, and how far it is read
//   /api/R/NAME?…               serve/endpoints.h
//   /api/R/state                of a recording on a node: what its daemon tells of the session
#pragma once

#include <functional>
#include <string>

#include "http/http_server.h"
#include "serve/access.h"
#include "serve/answer_cache.h"
#include "serve/endpoints.h"
#include "serve/request_target.h"
#include "serve/served_recordings.h"

namespace gordian {

// Thread-safe.
class Site {
 public:
  // Both must outlive it.
  Site(const ServeAccess& access, const ServedRecordings& recordings)
      : access_(access), recordings_(recordings) {}

  HttpAnswer Answer(const HttpRequestHead& head, const std::function<bool()>& stop_asked) const;

 private:
  HttpAnswer AnswerOwn(const HttpRequestHead& head, const std::function<bool()>& stop_asked) const;
  HttpAnswer Enter(std::string_view token, bool is_foreign) const;
  HttpAnswer AnswerApi(const RequestTarget& target, const std::function<bool()>& stop_asked) const;
  HttpAnswer AnswerView(const Endpoint& endpoint, uint64_t number, const RequestTarget& target,
                        const std::function<bool()>& stop_asked) const;
  HttpAnswer AnswerFar(const FarRecording& far, const Endpoint& endpoint, uint64_t number,
                       const RequestTarget& target) const;

  const ServeAccess& access_;
  const ServedRecordings& recordings_;
  mutable AnswerCache cache_;
};

// /api/recordings, as JSON.
std::string RecordingsJson(const ServedRecordings& recordings);

}  // namespace gordian
