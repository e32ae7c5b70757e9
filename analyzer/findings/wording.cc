#include "analyzer/findings/wording.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/advice.h"
#include "base/time_units.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostEdgesTold = 5;
// Of all CPUs' time: below it, lack of CPUs is no explanation for who gets none.
constexpr double kCpusWereFree = 0.8;
// A thread that is woken onto a free CPU runs within some microseconds, on a virtual one within
// some tens.
constexpr uint64_t kShortNs = 50'000;

class Wording {
 public:
  Wording(const Measures& measures, const VertexWords& words, const Target& target,
          const Limit& limit, bool others_recorded, pb::Finding& finding)
      : measures_(measures),
        words_(words),
        target_(target),
        limit_(limit),
        others_recorded_(others_recorded),
        finding_(finding) {}

  void Write() {
    finding_.set_title(limit_.apart ? absl::StrCat("Apart from the target: ", Title()) : Title());
    switch (limit_.kind) {
      case LimitKind::kKnot:
        WhyKnot();
        break;
      case LimitKind::kSink:
        WhySink();
        break;
      case LimitKind::kDevice:
        WhyDevice();
        break;
      case LimitKind::kSleep:
        WhySleep();
        break;
      case LimitKind::kStarvation:
        WhyStarvation();
        break;
      case LimitKind::kOutside:
        WhyOutside();
        break;
      case LimitKind::kBackground:
        WhyBackground();
        break;
    }
  }

 private:
  std::string Name(uint32_t id) const { return words_.of(id); }
  std::string First() const { return Name(limit_.members.front()); }
  bool Outside(uint32_t id) const { return !limit_.apart && IsOutsider(measures_, target_, id); }
  // "waits", or "wait" of several threads.
  std::string Does(uint32_t id, std::string_view one, std::string_view several) const {
    return words_.does(id, one, several);
  }
  void Why(std::string sentence) { finding_.add_why(std::move(sentence)); }

  bool IsLink(uint32_t id) const { return measures_.vertex(id).kind == VertexKind::kLink; }

  // A sink that sleeps in between.
  bool WorksNowAndThen() const {
    return limit_.kind == LimitKind::kSink && measures_.BusyShare(limit_.members[0]) < kBusy;
  }

  // What is ready and has no CPU is not busy.
  bool MostlyReady(uint32_t id) const {
    return measures_.RunnableShare(id) > measures_.CpuShare(id);
  }

  std::string Title() const {
    const std::string share = PercentText(limit_.share);
    const bool is_group = measures_.vertex(limit_.members[0]).kind == VertexKind::kGroup;
    switch (limit_.kind) {
      case LimitKind::kKnot:
        return KnotTitle();
      case LimitKind::kSink:
        if (WorksNowAndThen()) {
          return absl::StrCat(First(), " holds others up whenever it works: they wait ", share,
                              " of the time for it.");
        }
        if (MostlyReady(limit_.members[0])) {
          const std::string runs =
              absl::StrCat(" runs ", PercentText(measures_.CpuShare(limit_.members[0])),
                           " of the time, is ready to run for another ",
                           PercentText(measures_.RunnableShare(limit_.members[0])),
                           ", and waits for hardly anything.");
          return Outside(limit_.members[0])
                     ? absl::StrCat("The limit is outside of the target: ", First(), runs)
                     : absl::StrCat(First(), " is the limit: it", runs);
        }
        return Outside(limit_.members[0])
                   ? absl::StrCat("The limit is outside of the target: ", First(), " is busy ",
                                  share, " of the time.")
                   : absl::StrCat(First(), " is the limit: it is busy ", share,
                                  " of the time and waits for hardly anything.");
      case LimitKind::kDevice:
        return absl::StrCat(First(), " is saturated: it is busy ", share, " of the time.");
      case LimitKind::kSleep:
        if (Outside(limit_.members[0]) && limit_.waiter) {
          return absl::StrCat(
              "The limit is outside of the target: ", Does(limit_.members[0], "sleeps ", "sleep "),
              share, " of the time while ", Does(limit_.waiter->from, "waits", "wait"), " for ",
              is_group ? "them." : "it.");
        }
        return limit_.waited_for >= kMatters
                   ? absl::StrCat(Does(limit_.members[0], "sleeps ", "sleep "), share,
                                  " of the time while others wait for ", is_group ? "them." : "it.")
                   : absl::StrCat(Does(limit_.members[0], "has", "have"), " work to do but ",
                                  is_group ? "sleep " : "sleeps ", share, " of the time.");
      case LimitKind::kStarvation:
        if (limit_.members.size() == 1 && measures_.RunsSeldom(limit_.members[0])) {
          return absl::StrCat(First(), " want to run only now and then, and get no CPU for ", share,
                              " of that time.");
        }
        return limit_.members.size() == 1
                   ? absl::StrCat(Does(limit_.members[0], "is ready to run but gets",
                                       "are ready to run but get"),
                                  " no CPU for ", share, " of the time.")
                   : absl::StrCat(words_.of_all(limit_.members),
                                  " are ready to run but get no CPU for up to ", share,
                                  " of the time.");
      case LimitKind::kOutside:
        if (IsLink(limit_.members[0])) {
          return absl::StrCat("The way between the nodes is the limit: ",
                              limit_.attack ? Name(limit_.attack->from) : "the target", " waits ",
                              share, " of the time while messages are on ", First(), ".");
        }
        return absl::StrCat("The limit is outside of the recording: ",
                            limit_.attack ? Name(limit_.attack->from) : "the target", " waits ",
                            share, " of the time for ", First(), ".");
      case LimitKind::kBackground:
        return absl::StrCat(words_.of_all(limit_.members),
                            limit_.members.size() == 1 ? " hardly works: its own waits"
                                                       : " hardly work: their waits for each other",
                            " are background.");
    }
    return "";
  }

  std::string KnotTitle() const {
    const ScopeEdge& attack = *limit_.attack;
    const std::string waits = absl::StrCat(Does(attack.from, "waits ", "wait "),
                                           PercentText(attack.share), " of the time for ");
    if (Outside(attack.to) && target_.is_target[attack.from]) {
      return absl::StrCat("The limit is outside of the target: ", waits, Name(attack.to), ".");
    }
    if (measures_.vertex(attack.to).kind == VertexKind::kNic) {
      return absl::StrCat("The other end of the network is the limit: ", waits, Name(attack.to),
                          ", which is not saturated.");
    }
    if (attack.from == attack.to) {
      return absl::StrCat("The threads of ", Name(attack.from), " hold each other up: each waits ",
                          PercentText(attack.share), " of the time for another", AndForWhom(), ".");
    }
    if (limit_.members.size() == 2) {
      return absl::StrCat(Name(attack.from), " and ", Name(attack.to),
                          " hold each other up: when one works, the other waits.");
    }
    return absl::StrCat(words_.of_all_by_name(limit_.members),
                        " wait for each other in a circle; the heaviest wait is that of ",
                        Name(attack.from), " for ", Name(attack.to), AndForTheDisk(), ".");
  }

  std::string AndForTheDisk() const {
    if (!limit_.disk_wait) return "";
    return absl::StrCat(", the heaviest for a disk that of ", Name(limit_.disk_wait->from), " for ",
                        Name(limit_.disk_wait->to));
  }

  // Of a group whose members wait for each other most: for whom else in the knot.
  std::string AndForWhom() const {
    for (const ScopeEdge& edge : limit_.edges) {  // they come heaviest first
      if (edge.from != limit_.attack->from || edge.to == edge.from) continue;
      return absl::StrCat(" and ", PercentText(edge.share), " for ", Name(edge.to));
    }
    return "";
  }

  void WhyKnot() {
    size_t told = 0;
    for (const ScopeEdge& edge : limit_.edges) {
      if (told++ == kMostEdgesTold) break;
      Why(EdgeSentence(edge));
    }
    if (limit_.edges.size() > kMostEdgesTold) {
      Why(absl::StrCat(
          "Besides, there are lighter waits in it: ", limit_.edges.size() - kMostEdgesTold, "."));
    }
    if (const std::optional<ScopeEdge> way_out = HeaviestWayOut()) {
      Why(absl::StrCat("Besides, ", EdgeSentence(*way_out)));
    } else {
      Why("Nobody in it waits for anybody else for a time that matters, so nothing outside of it "
          "would make it faster.");
    }
    for (const uint32_t id : limit_.members) {
      if (Outside(id)) Why(absl::StrCat(Name(id), " is not of the target."));
    }
    AdviseOnKnot(measures_, words_, target_, limit_, finding_);
  }

  // Of a member's waits for threads that are not of the knot, too light to be followed: what a
  // pool's members, who mostly wait for each other, wait for while it is their turn.
  std::optional<ScopeEdge> HeaviestWayOut() const {
    std::optional<ScopeEdge> heaviest;
    for (const uint32_t id : limit_.members) {
      for (const Edge& edge : measures_.edges_from(id)) {
        const bool inner =
            std::binary_search(limit_.members.begin(), limit_.members.end(), edge.to);
        if (inner || !measures_.vertex(edge.to).has_threads() ||
            measures_.OwnShare(edge) < kMatters)
          continue;
        if (heaviest && heaviest->weight_ns >= edge.weight_ns) continue;
        heaviest =
            ScopeEdge{edge.from, edge.to, edge.weight_ns, edge.own_ns, measures_.OwnShare(edge)};
      }
    }
    return heaviest;
  }

  std::string EdgeSentence(const ScopeEdge& edge) const {
    const std::string share = PercentText(edge.share);
    if (measures_.vertex(edge.from).is_device()) {
      return absl::StrCat(Name(edge.from), " is idle ", share, " of the time, until ",
                          Name(edge.to), " gives it work.");
    }
    const std::string whom = edge.from == edge.to ? "others of their kind" : Name(edge.to);
    std::string text =
        absl::StrCat(Does(edge.from, "waits ", "wait "), share, " of the time for ", whom);
    if (const Edge* recorded = measures_.FindEdge(edge.from, edge.to)) {
      absl::StrAppend(&text, " (", FormatCount(recorded->count), " waits, the longest ",
                      FormatDuration(recorded->longest_ns), ")");
    }
    return text + ".";
  }

  void WhySink() {
    const uint32_t id = limit_.members[0];
    Why(absl::StrCat(Name(id), " runs ", PercentText(measures_.CpuShare(id)),
                     " of the time and is ready to run for another ",
                     PercentText(measures_.RunnableShare(id)), "."));
    const Vertex& vertex = measures_.vertex(id);
    if (vertex.strands > 1) {
      Why(absl::StrCat("That is its busiest thread, ", vertex.busiest_tid, "; on average its ",
                       vertex.strands, " threads are busy ",
                       PercentText(measures_.OfRecording(vertex.active_ns()) / vertex.strands),
                       "."));
    }
    if (limit_.attack) Why(EdgeSentence(*limit_.attack));
    if (measures_.BusyForAllItsShortLife(id)) {
      Why(absl::StrCat("It was there for only ", PercentText(measures_.OfRecording(vertex.life_ns)),
                       " of the recording, and busy all that time: what comes before and after it "
                       "does not overlap with it."));
      finding_.add_advice(
          "If it is one of several jobs: start it first, beside the others, or split it into "
          "parts.");
    }
    if (Outside(id)) {
      finding_.add_advice(absl::StrCat("Give ", Name(id),
                                       " more threads or more CPUs, or drive the load from another "
                                       "machine: the target could do more."));
      return;
    }
    finding_.add_advice(
        absl::StrCat("Profile ", Name(id), " on the CPU and make its code cheaper."));
    if (WorksNowAndThen()) {
      finding_.add_advice("Or let it work less often, in smaller pieces, or beside the others.");
      return;
    }
    finding_.add_advice(
        absl::StrCat("Or share its work among more threads: no wait of others is worth mending "
                     "before."));
  }

  void WhyDevice() {
    if (limit_.attack) Why(EdgeSentence(*limit_.attack));
    Why("There is hardly a time when nothing is in flight: giving it work earlier or in parallel "
        "gains "
        "nothing.");
    finding_.add_advice(
        "Give it less to do: cache, compress, batch small requests into large ones.");
    finding_.add_advice("Or take a faster device, or spread the data over several.");
  }

  void WhySleep() {
    const uint32_t id = limit_.members[0];
    if (limit_.waiter) {
      Why(EdgeSentence(*limit_.waiter));
      Why(absl::StrCat(Name(id), " itself runs only ", PercentText(measures_.CpuShare(id)),
                       " of the time."));
    } else {
      Why(absl::StrCat(Name(id), " does a good part of the work, yet runs only ",
                       PercentText(measures_.CpuShare(id)), " of the time."));
    }
    if (Outside(id)) {
      finding_.add_advice(
          "If it answers requests, each after a while: send more of them at a time (more "
          "connections, a larger pool or "
          "limit of requests under way), until it is busy.");
    }
    finding_.add_advice(
        "If it polls: let whoever makes the work wake it (condition variable, eventfd, poll) "
        "instead of sleeping.");
    finding_.add_advice("If it must sleep: sleep shorter. If it is a rate limit: raise it.");
  }

  void WhyStarvation() {
    for (const uint32_t id : limit_.members) {
      const Vertex& vertex = measures_.vertex(id);
      const double strands = std::max(1u, vertex.strands);
      Why(absl::StrCat(Name(id), strands > 1 ? " on average run " : " runs ",
                       PercentText(measures_.OfRecording(vertex.cpu_ns()) / strands),
                       " of the time and ", strands > 1 ? "wait" : "waits", " for a CPU another ",
                       PercentText(measures_.OfRecording(vertex.runnable_ns) / strands), "."));
    }
    if (!others_recorded_) {
      Why("What others used of the CPUs meanwhile was not recorded (--only).");
      finding_.add_advice(
          "Record once without --only: then the report says who had the CPUs meanwhile.");
      finding_.add_advice("Give it more CPUs, a higher priority, or move other load away.");
      return;
    }
    Why(absl::StrCat("All that was recorded uses ", PercentText(measures_.machine_cpu_share()),
                     " of ", FormatCount(measures_.cpus(), "CPU"), "."));
    if (measures_.machine_cpu_share() < kCpusWereFree && WakesSlowly()) return;
    if (measures_.machine_cpu_share() < kCpusWereFree) {
      finding_.add_advice(
          "CPUs were free all the same: look for an affinity, a cpuset or a cgroup quota that "
          "keeps "
          "it from them, or for other guests of the same host.");
    }
    finding_.add_advice("Give it more CPUs, a higher priority, or move other load away.");
  }

  // Where CPUs are free and no stretch without one is long, it is no lack of CPUs: whoever is woken
  // waits for the processor to come out of its sleep, or for an earlier one's wake to be done with.
  bool WakesSlowly() {
    uint64_t runnable_ns = 0;
    uint64_t waits = 0;
    for (const uint32_t id : limit_.members) {
      runnable_ns += measures_.vertex(id).runnable_ns;
      for (const Edge& edge : measures_.edges_from(id)) waits += edge.count;
    }
    if (waits == 0 || runnable_ns / waits > kShortNs) return false;
    Why(absl::StrFormat(
        "CPUs were free all the same: it is woken %.0f times a second, and each time it takes "
        "%.2g µs until it runs.",
        static_cast<double>(waits) * kNsPerSecond / measures_.span_ns(),
        static_cast<double>(runnable_ns) / static_cast<double>(waits) / 1e3));
    finding_.add_advice(
        "More CPUs would not help: let it be woken less often, by handing more over at a time "
        "(batches, "
        "several requests for each wake).");
    return true;
  }

  void WhyOutside() {
    if (limit_.attack) Why(EdgeSentence(*limit_.attack));
    if (IsLink(limit_.members[0])) {
      Why("That is from when a message was sent until the thread it was for was woken.");
      finding_.add_advice(
          "Keep several requests in flight, or ask for more at a time: then the way is paid once.");
      finding_.add_advice(
          "Bring the two nodes closer together; look for lost packets, full queues and delayed "
          "acknowledgements on the way.");
      return;
    }
    finding_.add_advice(
        "Record the other side, too. If it sends the load: it may simply not send more.");
  }

  void WhyBackground() {
    Why(absl::StrCat(
        "They use ", PercentText(limit_.share),
        " of one CPU together and no device: their work does not grow with the load."));
    finding_.add_advice("Nothing, unless others wait for it: then shorten what it does meanwhile.");
  }

  const Measures& measures_;
  const VertexWords& words_;
  const Target& target_;
  const Limit& limit_;
  const bool others_recorded_;
  pb::Finding& finding_;
};

std::string Capitalized(std::string text) {
  if (text.rfind("the ", 0) == 0 || text.rfind("interrupts", 0) == 0 || text.rfind("an ", 0) == 0) {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace

const char* KindName(LimitKind kind) {
  switch (kind) {
    case LimitKind::kKnot:
      return "knot";
    case LimitKind::kSink:
      return "sink";
    case LimitKind::kDevice:
      return "device";
    case LimitKind::kSleep:
      return "sleep";
    case LimitKind::kStarvation:
      return "starvation";
    case LimitKind::kOutside:
      return "sink";
    case LimitKind::kBackground:
      return "background";
  }
  return "knot";
}

bool IsOutsider(const Measures& measures, const Target& target, uint32_t id) {
  const Vertex& vertex = measures.vertex(id);
  return vertex.has_threads() && !vertex.kernel_thread && !target.is_target[id];
}

void Word(const Measures& measures, const VertexWords& words, const Target& target,
          const Limit& limit, bool others_recorded, pb::Finding& finding) {
  Wording(measures, words, target, limit, others_recorded, finding).Write();
  finding.set_title(Capitalized(finding.title()));
  for (std::string& why : *finding.mutable_why()) why = Capitalized(why);
}

}  // namespace gordian
