#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what scripts/cases has recorded.

  results.py check EXPECT REPORT.json       is the top finding the expected one? exit code 1 and why, if not
  results.py table RESULTS CASE...          the table of docs/case-tables.md
  results.py prediction WHATIF.json         low, expected and high of what gordian whatif answered; none, if it refused
  results.py changes REPORT.json            options of gordian whatif, from standard input, one a line, with @attack
                                            replaced by the first wait to attack, @waiter by who waits there, @syncer by
                                            who waits for a disk, @sleeper by the first sleeper, @member by the first finding's first member,
                                            @outside by its first member outside
  results.py repeated RESULTS CASE...       do recordings of the same load give the same answer? of scripts/cases --repeat
  results.py overhead RESULTS CASE...       what recording cost each, from the slices of scripts/cases --overhead
  results.py known PAIRS                    is the cost of a case known well enough? exit code 1, if more pairs are wanted
  results.py cost RESULTS CASE...           what recording cost each, from the pairs of scripts/cases --cost

EXPECT holds one expectation a line, "what: regular expression", all of which must hold (# begins a comment):
  title     of the report's first line
  why       of one of the top finding's reasons
  kind      of the top finding; none: nothing was found
  members   of the name of one of its members
  outside   of the name of one of its members outside of the target
  code      of one of its sentences about code, or of the functions where its edge to attack waits
"""

import json
import math
import os
import random
import re
import statistics
import sys


def edge_code(report, finding):
    """Names of the functions where the edge to attack waits or is ended, and where members run."""
    labels = [frame["label"] for frame in report["code"]]
    stacks = []
    for edge in report["edges"]:
        if finding["edge"] and (edge["from"], edge["to"]) == (finding["edge"]["from"], finding["edge"]["to"]):
            stacks += edge["waiter_stacks"] + edge["waker_stacks"]
    for vertex in report["vertices"]:
        if vertex["id"] in finding["members"]:
            stacks += vertex["running_stacks"]
    return [labels[frame] for stack in stacks for frame in stack["frames"]]


def facts_of(report):
    """What an expectation can be about: lists of texts."""
    facts = {"title": [report["verdict"]], "why": [], "kind": ["none"], "members": [], "outside": [], "code": []}
    findings = [f for f in report["findings"] if not f["apart"] and f["kind"] != "background"]
    if not findings:
        return facts
    top = findings[0]
    names = {vertex["id"]: vertex["name"] for vertex in report["vertices"]}
    facts["kind"] = [top["kind"]]
    facts["why"] = top["why"]
    facts["members"] = [names[member] for member in top["members"]]
    facts["outside"] = [names[member] for member in top["outside"]]
    facts["code"] = top["code"] + edge_code(report, top)
    return facts


def check(expect_path, report_path):
    with open(report_path, encoding="utf-8") as file:
        facts = facts_of(json.load(file))
    unmet = []
    with open(expect_path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if not line:
                continue
            what, pattern = (part.strip() for part in line.split(":", 1))
            if not any(re.search(pattern, text) for text in facts[what]):
                shown = "; ".join(facts[what][:4]) or "nothing"
                unmet.append(f"{what} is not {pattern}: {shown}")
    return unmet


def names_for_whatif(report):
    """@attack: FROM->TO of the wait to attack of the first knot, @waiter: FROM. @syncer: which member of the first knot waits
    most for a disk. @sleeper: who sleeps, of the first such finding. @member: the first finding's first member. @outside: its
    first member outside of the target."""
    names = [vertex["name"] for vertex in report["vertices"]]

    def name_of(vertex):
        if names.count(vertex["name"]) == 1:
            return vertex["name"]
        return f"{vertex['name']}/{vertex['tid']}" if vertex["tid"] else f"{vertex['name']} #{vertex['id']}"

    # Reports of before have no labels.
    by_id = {vertex["id"]: vertex.get("label") or name_of(vertex) for vertex in report["vertices"]}
    said = {}
    disks = {vertex["id"] for vertex in report["vertices"] if vertex["kind"] == "disk"}
    for finding in report["findings"]:
        if finding["edge"] and finding["kind"] == "knot":
            for_disks = [edge for edge in report["edges"] if edge["to"] in disks and edge["from"] in finding["members"]]
            if for_disks:
                said.setdefault("@syncer", by_id[max(for_disks, key=lambda edge: edge["weight_s"])["from"]])
            said.setdefault("@attack", f"{by_id[finding['edge']['from']]}->{by_id[finding['edge']['to']]}")
            said.setdefault("@waiter", by_id[finding["edge"]["from"]])
        if finding["kind"] == "sleep":
            said.setdefault("@sleeper", by_id[finding["edge"]["from"] if finding["edge"] else finding["members"][0]])
    if report["findings"] and report["findings"][0]["members"]:
        said["@member"] = by_id[report["findings"][0]["members"][0]]
    if report["findings"] and report["findings"][0]["outside"]:
        said["@outside"] = by_id[report["findings"][0]["outside"][0]]
    return said


def named_changes(report, lines):
    """The options of gordian whatif with names for the words of cases/lib.sh."""
    said = names_for_whatif(report)
    for placeholder, name in said.items():
        lines = [line.replace(placeholder, name) for line in lines]
    return list(lines)


def throughputs(path):
    """By kind of run, in the order of the rounds."""
    values = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            how, value = line.split()
            values.setdefault(how, []).append(float(value))
    return values


def prediction(path):
    """Of the fix, from what gordian whatif answered: low, expected, high; none, if it refused to predict."""
    with open(path, encoding="utf-8") as file:
        answer = json.load(file)
    # Answers of before say so in their sentence alone.
    if answer.get("refusal") or "does not allow a prediction" in answer["verdict"]:
        return ("none",)
    return answer["low"], answer["expected"], answer["high"]


def predictions(path):
    """Round by round; None where it could not be asked."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        rounds = [line.split() for line in file]
    return [tuple(float(number) for number in words) if len(words) == 3 else None for words in rounds]


def told(values):
    """The median, and from where to where they reach."""
    if not values:
        return ""
    middle = f"{statistics.median(values):.2f}×"
    return middle if len(values) == 1 else f"{middle} ({min(values):.2f} to {max(values):.2f})"


def gains(throughput, variant):
    """What the variant gained, round by round."""
    return [changed / plain for changed, plain in zip(throughput.get(variant, []), throughput["plain"])]


def judged(asked, measured):
    """How far the median prediction is off the median gain, and in how many rounds the gain was inside of the interval told."""
    pairs = [(interval, gain) for interval, gain in zip(asked, measured) if interval]
    if not pairs:
        return "", ""
    inside = sum(low <= gain <= high for (low, _, high), gain in pairs)
    off = statistics.median(expected for (_, expected, _), _ in pairs) / statistics.median(measured) - 1
    return f"{off:+.0%}", f"{inside} of {len(measured)}"


def rights(path):
    """In how many rounds the top finding was the expected one."""
    with open(path, encoding="utf-8") as file:
        rounds = file.read().split()
    right = rounds.count("right")
    return "yes" if right == len(rounds) else f"{right} of {len(rounds)}" if right else "no"


def words_in(path):
    """What a variant is; results of before have no vain one."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def change_cells(folder, change, predicted, variant):
    """What the change is, what was predicted and measured, how far apart they are, how often the gain was inside."""
    measured = gains(throughputs(os.path.join(folder, "throughput")), variant)
    asked = predictions(os.path.join(folder, predicted))
    return [words_in(os.path.join(folder, change)) or "none", told([interval[1] for interval in asked if interval]),
            told(measured), *judged(asked, measured)]


def table(results, cases):
    columns = ["predicted", "measured", "off by", "inside"]
    rows = [["case", "top finding", "right?", "fix"] + columns + ["vain fix"] + [f"vain: {column}" for column in columns]]
    for case in cases:
        folder = os.path.join(results, case)
        if not os.path.exists(os.path.join(folder, "fix")):
            rows.append([case, "not run"] + [""] * (len(rows[0]) - 2))
            continue
        last = sorted((name for name in os.listdir(folder) if name.startswith("round-")), key=lambda name: int(name[6:]))[-1]
        with open(os.path.join(folder, last, "report.json"), encoding="utf-8") as file:
            title = json.load(file)["verdict"]
        rows.append([case, title, rights(os.path.join(folder, "titles"))]
                    + change_cells(folder, "fix", "predictions", "fixed") + change_cells(folder, "vain", "predictions-vain", "vain"))
    for index, row in enumerate(rows):
        print("| " + " | ".join(row) + " |")
        if index == 0:
            print("|" + "---|" * len(row))


def losses(path):
    """By way of recording: the throughput lost, of each slice beside the plain ones around it; plain ones beside their plain
    neighbours: what the machine does by itself."""
    with open(path, encoding="utf-8") as file:
        slices = [(line.split()[0], float(line.split()[1])) for line in file]
    lost = {}

    def add(way, value, before, after):
        lost.setdefault(way, []).append(1 - value / ((before + after) / 2))

    for index, (way, value) in enumerate(slices):
        if way != "plain":
            add(way, value, slices[index - 1][1], slices[index + 1][1])
    plain = [value for way, value in slices if way == "plain"]
    for before, value, after in zip(plain, plain[1:], plain[2:]):
        add("plain", value, before, after)
    return lost


def limit_of(report):
    """What the first line says, without its figures: the kind of limit, and whose it is."""
    facts = facts_of(report)
    return facts["kind"][0], tuple(sorted(set(facts["members"]))), tuple(sorted(set(facts["outside"])))


def told_limit(limit):
    kind, members, outside = limit
    return kind + (f": {', '.join(members)}" if members else "") + (f" (outside: {', '.join(outside)})" if outside else "")


def most_common(values):
    return max(sorted(set(values)), key=values.count)


def repeated(results, cases):
    """How many recordings of the same load tell the same limit, alone, and beside another program; whether that is the same one;
    how many tell the expected one; and which others were told."""
    rows = [("case", "limit told most, alone", "alone", "beside another program", "beside it", "as expected", "others told")]
    same = {"alone": 0, "beside": 0}
    total = {"alone": 0, "beside": 0}
    all_expected = 0
    for case in cases:
        folder = os.path.join(results, case)
        limits = {how: [] for how in same}
        expected = 0
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            how = re.fullmatch(r"report-(alone|beside)-\d+\.json", name)
            if how:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    limits[how[1]].append(limit_of(json.load(file)))
                expected += not check(os.path.join(folder, "expect"), os.path.join(folder, name))
        if not limits["alone"] or not limits["beside"]:
            rows.append((case, "not run", "", "", "", "", ""))
            continue
        most = {how: most_common(of_how) for how, of_how in limits.items()}
        counts = {how: of_how.count(most[how]) for how, of_how in limits.items()}
        for how, of_how in limits.items():
            same[how] += counts[how]
            total[how] += len(of_how)
        told = limits["alone"] + limits["beside"]
        others = [f"{told.count(limit)} × {told_limit(limit)}" for limit in sorted(set(told) - set(most.values()))]
        all_expected += expected
        rows.append((case, told_limit(most["alone"]), f"{counts['alone']} of {len(limits['alone'])}",
                     "the same" if most["beside"] == most["alone"] else told_limit(most["beside"]),
                     f"{counts['beside']} of {len(limits['beside'])}", f"{expected} of {len(told)}", "; ".join(others)))
    rows.append(("all", "", f"{same['alone']} of {total['alone']}", "", f"{same['beside']} of {total['beside']}",
                 f"{all_expected} of {sum(total.values())}", ""))
    for index, row in enumerate(rows):
        print("| " + " | ".join(row) + " |")
        if index == 0:
            print("|" + "---|" * len(row))


def words_of(path):
    """First word of each line -> the others."""
    with open(path, encoding="utf-8") as file:
        return {line.split()[0]: line.split()[1:] for line in file}


def overhead(results, cases):
    ways = {"off": "stacks off", "sampled": "stacks sampled", "budget": "with its budget", "perf": "perf sched", "bpftrace": "bpftrace"}
    measured = [os.path.join(results, case, "cpu") for case in cases]
    told = set().union(*(words_of(path) for path in measured if os.path.exists(path)))
    ways = {way: name for way, name in ways.items() if way in told}
    rows = [["case", "plain beside plain"] + [f"lost: {name}" for name in ways.values()]
            + [f"CPU: {name}" for name in ways.values()] + ["trace", "analysis"]]
    medians = {way: [] for way in ways}
    shares = {way: [] for way in ways}
    for case in cases:
        folder = os.path.join(results, case)
        if not os.path.exists(os.path.join(folder, "trace")):
            continue
        lost, cpu, trace = (read(os.path.join(folder, name)) for read, name in
                            ((losses, "slices"), (words_of, "cpu"), (words_of, "trace")))
        row = [case, f"{min(lost['plain']):.1%} to {max(lost['plain']):.1%}"]
        for way in ways:
            of_way = sorted(lost[way])
            medians[way].append(statistics.median(of_way))
            row.append(f"{medians[way][-1]:.1%} ({of_way[0]:.1%} to {of_way[-1]:.1%})")
        # The recorder's own process and its BPF programs, of all CPUs' time.
        for way in ways:
            process, programs = float(cpu[way][0]), float(cpu[way][1])
            shares[way].append(process + programs)
            row.append(f"{process:.1%} + {programs:.1%}")
        row += [f"{float(trace['bytes_per_second'][0]) / 1e6:.2f} MB/s", f"{float(trace['analysis_seconds'][0]):.1f} s"]
        rows.append(row)
    if len(rows) > 1:
        ends = [f"{statistics.mean(of[way]):.1%}, {max(of[way]):.1%}" for of in (medians, shares) for way in ways]
        rows.append(["mean, worst", ""] + ends + ["", ""])
    for index, row in enumerate(rows):
        print("| " + " | ".join(row) + " |")
        if index == 0:
            print("|" + "---|" * len(row))


# A case is measured until the standard error of its mean is below this. With some twenty cases the mean of all is then known
# to half a percent.
KNOWN_TO = 0.02
# Fewer pairs tell nothing of their own spread.
FEWEST_PAIRS = 4


def pair_losses(path):
    """The share of the throughput lost, pair by pair. Logarithms: twice as fast and half as fast are equally far from the same."""
    with open(path, encoding="utf-8") as file:
        pairs = [tuple(map(float, line.split())) for line in file]
    return [math.log(plain / recorded) for plain, recorded in pairs]


def mean_and_error(values):
    """The mean, and its standard error."""
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def is_known(path):
    lost = pair_losses(path)
    return len(lost) >= FEWEST_PAIRS and mean_and_error(lost)[1] <= KNOWN_TO


def cost(results, cases):
    """By case: mean and standard error of the loss. Of all: the mean of these means, with its own standard error; the largest one,
    and how large the largest would come out if recording cost nothing at all, for such errors."""
    rows = [("case", "pairs", "throughput lost", "range of the pairs")]
    means, errors = [], []
    for case in cases:
        path = os.path.join(results, case, "pairs")
        if not os.path.exists(path):
            continue
        lost = pair_losses(path)
        mean, error = mean_and_error(lost)
        if len(lost) < 2:
            continue
        means.append(mean)
        errors.append(error)
        rows.append((case, str(len(lost)), f"{mean:.1%} ± {error:.1%}", f"{min(lost):.1%} to {max(lost):.1%}"))
    if means:
        error = math.sqrt(sum(one * one for one in errors)) / len(errors)
        rows.append(("mean", "", f"{statistics.mean(means):.1%} ± {error:.1%}", ""))
        rows.append(("worst", "", f"{max(means):.1%}", f"by chance alone: {largest_by_chance(errors):.1%}"))
    for index, row in enumerate(rows):
        print("| " + " | ".join(row) + " |")
        if index == 0:
            print("|" + "---|" * len(row))


def largest_by_chance(errors):
    """The median of the largest of normal errors around nothing, by 2,001 throws."""
    throws = random.Random(1)
    return statistics.median(max(throws.gauss(0, error) for error in errors) for _ in range(2001))


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "check":
        unmet = check(arguments[1], arguments[2])
        for line in unmet:
            print(line)
        return 1 if unmet else 0
    if len(arguments) == 2 and arguments[0] == "prediction":
        print(*prediction(arguments[1]))
        return 0
    if len(arguments) == 2 and arguments[0] == "changes":
        with open(arguments[1], encoding="utf-8") as file:
            report = json.load(file)
        print("".join(named_changes(report, sys.stdin)), end="")
        return 0
    if len(arguments) >= 3 and arguments[0] == "table":
        table(arguments[1], arguments[2:])
        return 0
    if len(arguments) >= 3 and arguments[0] == "repeated":
        repeated(arguments[1], arguments[2:])
        return 0
    if len(arguments) >= 3 and arguments[0] == "overhead":
        overhead(arguments[1], arguments[2:])
        return 0
    if len(arguments) == 2 and arguments[0] == "known":
        return 0 if is_known(arguments[1]) else 1
    if len(arguments) >= 3 and arguments[0] == "cost":
        cost(arguments[1], arguments[2:])
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
