// SPDX-License-Identifier: Apache-2.0
#include "serve/site.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "output/json_writer.h"
#include "serve/app_files.h"
#include "serve/far_recording.h"
#include "serve/request_target.h"

namespace gordian {
namespace {

constexpr char kPlainText[] = "text/plain; charset=utf-8";
constexpr char kHowToGetIn[] =
    "open the address that gordian serve printed, with its ?token=…; scripts send it as "
    "'Authorization: Bearer …'\n";
// Scripts and styles are the app's files alone; nothing is fetched from elsewhere, no form is sent,
// and no other page shows this one in a frame.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

HttpAnswer TextAnswer(unsigned status, std::string_view text) {
  return {.status = status,
          .content_type = kPlainText,
          .body = std::make_shared<const std::string>(text)};
}

unsigned HttpStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return 400;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

HttpAnswer ErrorAnswer(const absl::Status& status) {
  JsonWriter json;
  json.BeginObject().String("error", std::string(status.message())).EndObject();
  return {.status = HttpStatusOf(status),
          .content_type = kJsonType,
          .body = std::make_shared<const std::string>(json.text())};
}

HttpAnswer AnswerOf(absl::StatusOr<ViewAnswer> made) {
  if (!made.ok()) return ErrorAnswer(made.status());
  return {.content_type = std::move(made->content_type),
          .body = std::make_shared<const std::string>(std::move(made->body))};
}

void SetProtection(HttpAnswer& answer, bool is_data) {
  answer.fields.insert(answer.fields.end(),
                       {{"Content-Security-Policy", kContentPolicy},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Referrer-Policy", "no-referrer"},
                        {"Cross-Origin-Resource-Policy", "same-origin"},
                        {"Cross-Origin-Opener-Policy", "same-origin"},
                        // The app's files belong to this program: the next one's may differ.
                        {"Cache-Control", is_data ? "no-store" : "no-cache"}});
}

const AppFile* FindAppFile(std::string_view path) {
  const std::span<const AppFile> files = AppFiles();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const AppFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

std::string_view KindOf(const ServedRecording& recording) {
  if (recording.far() != nullptr) return "node";
  return recording.live() != nullptr ? "live" : "stored";
}

std::string_view StateWord(ServedState state) {
  switch (state) {
    case ServedState::kReading:
      return "reading";
    case ServedState::kReady:
      return "ready";
    case ServedState::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace

std::string RecordingsJson(const ServedRecordings& recordings) {
  JsonWriter json;
  json.BeginObject().Key("recordings").BeginArray();
  for (size_t i = 0; i < recordings.size(); ++i) {
    const ServedRecording& recording = recordings.at(i);
    const ServedStatus status = recording.status();
    json.BeginObject()
        .Number("number", i)
        .String("name", recording.name())
        .String("directory", recording.directory())
        .String("kind", KindOf(recording))
        .String("state", StateWord(status.state))
        .Real("progress", status.progress)
        .String("error", status.error)
        .Real("seconds", status.seconds)
        .Number("page", status.page_number)
        .EndObject();
  }
  json.EndArray().String("instead", recordings.instead()).EndObject();
  return std::string(json.text());
}

HttpAnswer Site::Answer(const HttpRequestHead& head,
                        const std::function<bool()>& stop_asked) const {
  HttpAnswer answer = AnswerOwn(head, stop_asked);
  SetProtection(answer, !head.target.starts_with("/app."));
  return answer;
}

HttpAnswer Site::AnswerOwn(const HttpRequestHead& head,
                           const std::function<bool()>& stop_asked) const {
  if (head.hosts > 1 || !IsOwnHost(head.host))
    return TextAnswer(403, "ask by 127.0.0.1 or localhost\n");
  if (head.method != "GET" && head.method != "HEAD") {
    HttpAnswer answer = TextAnswer(405, "only GET and HEAD\n");
    answer.fields.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  const auto target = ParseRequestTarget(head.target);
  if (!target.ok())
    return TextAnswer(400, absl::StrCat(std::string(target.status().message()), "\n"));
  if (const auto token = target->parameters.find("token");
      target->path == "/" && token != target->parameters.end()) {
    return Enter(token->second, ServeAccess::IsForeign(head));
  }
  if (ServeAccess::IsForeign(head)) return TextAnswer(403, "a page of another place asks\n");
  if (!access_.MayAsk(head)) return TextAnswer(403, kHowToGetIn);
  if (const AppFile* file = FindAppFile(target->path))
    return {.content_type = std::string(file->content_type),
            .body = std::make_shared<const std::string>(file->text)};
  return AnswerApi(*target, stop_asked);
}

// A link in another page leads here, too: what its click goes on to is sent no strict cookie, so
// that a page of our own must ask for the app.
HttpAnswer Site::Enter(std::string_view token, bool is_foreign) const {
  if (!access_.IsToken(token)) return TextAnswer(403, kHowToGetIn);
  if (!is_foreign)
    return {.status = 303, .fields = {{"Location", "/"}, {"Set-Cookie", access_.Cookie()}}};
  return {
      .content_type = "text/html; charset=utf-8",
      .body = std::make_shared<const std::string>(
          "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=/\"><title>Gordian</title>"
          "<p><a href=\"/\">Open Gordian</a>\n"),
      .fields = {{"Set-Cookie", access_.Cookie()}}};
}

HttpAnswer Site::AnswerApi(const RequestTarget& target,
                           const std::function<bool()>& stop_asked) const {
  constexpr std::string_view kApi = "/api/";
  std::string_view rest = target.path;
  if (!rest.starts_with(kApi))
    return ErrorAnswer(absl::NotFoundError("there are /, /app.js, /app.css and /api/"));
  rest.remove_prefix(kApi.size());
  if (rest == "recordings")
    return {.content_type = kJsonType,
            .body = std::make_shared<const std::string>(RecordingsJson(recordings_))};
  const size_t slash = rest.find('/');
  const std::string_view digits = rest.substr(0, slash);
  uint64_t number = 0;
  if (slash == rest.npos || digits.find_first_not_of("0123456789") != digits.npos ||
      !absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &number) ||
      number >= recordings_.size())
    return ErrorAnswer(absl::NotFoundError(absl::StrCat(
        "there are /api/recordings and /api/R/NAME, with R below ", recordings_.size())));
  const std::string_view name = rest.substr(slash + 1);
  const FarRecording* const far = recordings_.at(number).far();
  if (far != nullptr && name == "state") return AnswerOf(far->State());
  const Endpoint* const endpoint = FindEndpoint(name);
  if (endpoint == nullptr) return ErrorAnswer(absl::NotFoundError("there is no such view"));
  if (far != nullptr && endpoint->is_forwarded) return AnswerFar(*far, *endpoint, number, target);
  return AnswerView(*endpoint, number, target, stop_asked);
}

// Kept like other answers. What is asked again is asked of the node.
HttpAnswer Site::AnswerFar(const FarRecording& far, const Endpoint& endpoint, uint64_t number,
                           const RequestTarget& target) const {
  const auto question = [&] {
    return absl::StrCat(number, "/", far.reading(), "/", std::string(endpoint.name), "?",
                        target.CanonicalText());
  };
  if (far.reading() != 0 && !target.parameters.contains("again"))
    if (HttpAnswer kept = cache_.Find(question()); kept.body != nullptr) return kept;
  auto made = far.Ask(endpoint, target.parameters);
  const bool is_kept = made.ok() && made->may_be_kept;
  HttpAnswer answer = AnswerOf(std::move(made));
  if (is_kept) cache_.Keep(question(), answer);
  return answer;
}

HttpAnswer Site::AnswerView(const Endpoint& endpoint, uint64_t number, const RequestTarget& target,
                            const std::function<bool()>& stop_asked) const {
  ViewRequest request{.recording = recordings_.at(number),
                      .recordings = recordings_,
                      .parameters = target.parameters,
                      .stop_asked = stop_asked};
  if (HasParameter(request.parameters, "pin")) {
    const auto pin = GetUnsigned(request.parameters, "pin", 0);
    if (!pin.ok()) return ErrorAnswer(pin.status());
    request.pin = *pin;
    request.parameters.erase("pin");
  }
  std::string question;
  if (endpoint.needs == Needs::kAnalysis) {
    auto served = request.recording.analysis(request.pin);
    if (!served.ok()) return ErrorAnswer(served.status());
    request.served = *std::move(served);
    question = absl::StrCat(number, "/", request.served->number(), "/", std::string(endpoint.name),
                            "?", target.CanonicalText());
    if (endpoint.is_kept)
      if (HttpAnswer kept = cache_.Find(question); kept.body != nullptr) return kept;
  }
  auto made = endpoint.answer(request);
  // Whoever waited has gone, or the time is over: half an answer is none.
  if (stop_asked()) return ErrorAnswer(absl::DeadlineExceededError("the answer takes too long"));
  if (!made.ok()) return ErrorAnswer(made.status());
  if (made->body.size() > kMostAnswerBytes)
    return ErrorAnswer(absl::InternalError("the answer is too long; ask for a shorter range"));
  HttpAnswer answer = AnswerOf(std::move(made));
  if (!question.empty() && endpoint.is_kept) cache_.Keep(question, answer);
  return answer;
}

}  // namespace gordian
