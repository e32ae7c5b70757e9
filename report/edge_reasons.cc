// SPDX-License-Identifier: Apache-2.0
#include "report/edge_reasons.h"

#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostObjects = 8;  // of a reason
constexpr int kMostInSentence = 2;
constexpr size_t kMostAlso = 8;
constexpr int kAlsoInRemark = 3;

std::string EdgesText(const pb::WaitObject& object, const VertexNames& names) {
  std::vector<std::string> edges;
  for (const pb::EdgeRef& edge : object.also()) {
    if (static_cast<int>(edges.size()) == kAlsoInRemark) break;
    edges.push_back(absl::StrCat(names.Name(edge.from()), " → ", names.Name(edge.to())));
  }
  const size_t more = object.also_edges() - edges.size();
  const std::string rest = more > 0 ? absl::StrCat(" and ", more, " more") : "";
  return absl::StrCat("the same as in ", absl::StrJoin(edges, ", "), rest);
}

// "one lock, 16 threads; the same as in B → C and D → C"
std::string RemarkOn(const pb::WaitObject& object, const VertexNames& names) {
  std::vector<std::string> parts;
  const bool futex = object.object() == WaitObjectKindName(WaitObjectKind::kFutex);
  const std::string what = object.role().empty() ? "futex" : object.role();
  if (object.threads() > 1 && futex) {
    parts.push_back(absl::StrCat("one ", what, ", ", FormatCount(object.threads(), "thread")));
  } else if (object.threads() > 1) {
    parts.push_back(FormatCount(object.threads(), "thread"));
  } else if (futex && !object.role().empty()) {
    parts.push_back(absl::StrCat("a ", what));
  }
  if (object.also_edges() > 0) parts.push_back(EdgesText(object, names));
  return absl::StrJoin(parts, "; ");
}

void PutNumbers(const WaitObjectRecord& record, pb::WaitObject& out) {
  out.set_process(record.tgid);
  out.set_file_descriptor(record.descriptor);
  switch (record.kind) {
    case WaitObjectKind::kFutex:
      out.set_address(absl::StrCat("0x", absl::Hex(record.value)));
      break;
    case WaitObjectKind::kDescriptors:
    case WaitObjectKind::kChild:
    case WaitObjectKind::kTimer:
      out.set_number(static_cast<int64_t>(record.value));
      break;
    case WaitObjectKind::kPipe:
    case WaitObjectKind::kSocket:
    case WaitObjectKind::kFile:
    case WaitObjectKind::kDirectory:
      out.set_inode(record.value);
      break;
    default:
      break;
  }
  out.set_path(CleanText(record.path));
  if (record.kind != WaitObjectKind::kSocket) return;
  out.set_peer_process(record.peer_tgid);
  if (record.family != AF_INET && record.family != AF_INET6) return;
  out.set_local(SocketAddressText(record.family, record.local, record.local_port));
  if (!record.listening)
    out.set_peer(SocketAddressText(record.family, record.peer, record.peer_port));
}

void PutThing(const WaitThing* thing, uint32_t from, uint32_t to, pb::WaitObject& out) {
  if (thing == nullptr) return;
  out.set_threads(thing->threads);
  size_t others = 0;
  for (const auto& [other_from, other_to] : thing->edges) {
    if (other_from == from && other_to == to) continue;
    if (others++ >= kMostAlso) continue;
    pb::EdgeRef& edge = *out.add_also();
    edge.set_from(other_from);
    edge.set_to(other_to);
  }
  out.set_also_edges(static_cast<uint32_t>(others));
}

std::string ObjectText(const pb::WaitObject& object) {
  return absl::StrCat(object.text(), object.remark().empty() ? "" : ": ", object.remark());
}

// The share is told only if it differs from the reason's.
std::string ObjectAndShare(const pb::WaitReason& reason, const pb::WaitObject& object) {
  const std::string share = PercentText(object.share());
  if (share == PercentText(reason.share())) return ObjectText(object);
  return absl::StrCat(share, " ", ObjectText(object));
}

}  // namespace

void PutReasons(const StackSums& sums, const Code& code, const WaitThings& things,
                const VertexNames& names, uint32_t from, uint32_t to, WaitReasons& out) {
  for (const ReasonShare& reason : ReasonsOf(sums.Of(from, to, StackSide::kWaiter), code, things)) {
    pb::WaitReason& put = *out.Add();
    put.set_reason(std::string(reason.reason));
    put.set_share(reason.share);
    for (size_t i = 0; i < std::min(reason.objects.size(), kMostObjects); ++i) {
      const ObjectShare& share = reason.objects[i];
      const WaitObjectRecord& record = *things.Find(share.object_id);
      pb::WaitObject& object = *put.add_objects();
      object.set_object(WaitObjectKindName(record.kind));
      object.set_text(CleanText(share.text));
      object.set_call(std::string(WaitCallName(record.call)));
      object.set_share(share.share);
      object.set_samples(share.samples);
      object.set_role(std::string(share.role));
      PutNumbers(record, object);
      PutThing(things.ThingOf(share.object_id), from, to, object);
      object.set_remark(RemarkOn(object, names));
    }
  }
}

std::string ReasonsText(const WaitReasons& reasons) {
  std::vector<std::string> words;
  for (const pb::WaitReason& reason : reasons) {
    if (reason.share() >= kWorthAWord)
      words.push_back(absl::StrCat(reason.reason(), " ", PercentText(reason.share())));
  }
  return absl::StrJoin(words, ", ");
}

std::string ReasonsAndObjectsText(const WaitReasons& reasons) {
  std::vector<std::string> words;
  for (const pb::WaitReason& reason : reasons) {
    if (reason.share() < kWorthAWord) continue;
    words.push_back(absl::StrCat(reason.reason(), " ", PercentText(reason.share())));
    std::vector<std::string> objects;
    for (const pb::WaitObject& object : reason.objects()) {
      if (object.share() < kWorthASentence || objects.size() == kMostInSentence) break;
      objects.push_back(ObjectAndShare(reason, object));
    }
    if (!objects.empty()) absl::StrAppend(&words.back(), " (", absl::StrJoin(objects, "; "), ")");
  }
  return absl::StrJoin(words, ", ");
}

std::string ObjectLines(const WaitReasons& reasons) {
  std::string lines;
  for (const pb::WaitReason& reason : reasons) {
    for (const pb::WaitObject& object : reason.objects()) {
      if (object.share() >= kWorthAWord)
        absl::StrAppend(&lines, "  ", PercentText(object.share()), "  ", ObjectText(object), "\n");
    }
  }
  return lines;
}

const pb::WaitObject* HeaviestObject(const WaitReasons& reasons) {
  const pb::WaitObject* heaviest = nullptr;
  for (const pb::WaitReason& reason : reasons) {
    for (const pb::WaitObject& object : reason.objects()) {
      if (heaviest == nullptr || object.share() > heaviest->share()) heaviest = &object;
    }
  }
  return heaviest;
}

std::string ShortReasonText(const WaitReasons& reasons) {
  if (reasons.empty()) return {};
  const pb::WaitObject* object = HeaviestObject(reasons);
  if (object != nullptr && object->share() >= kMostOfAnEdge * reasons[0].share())
    return absl::StrCat(object->text(), " ", PercentText(object->share()));
  return absl::StrCat(reasons[0].reason(), " ", PercentText(reasons[0].share()));
}

std::string StoryWithObject(std::string story, const WaitReasons& reasons) {
  const pb::WaitObject* object = HeaviestObject(reasons);
  if (object == nullptr || object->share() < kMostOfAnEdge || object->call().empty()) return story;
  const std::string call_and_of = absl::StrCat(object->call(), " of ");
  const bool same_call =
      story == object->call() || story.starts_with(absl::StrCat(object->call(), " ←"));
  if (!same_call || !object->text().starts_with(call_and_of)) return story;
  return absl::StrCat(object->text(), story.substr(object->call().size()));
}

}  // namespace gordian
