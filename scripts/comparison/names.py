# SPDX-License-Identifier: Apache-2.0
"""Reports by names: what a report refers to by number is replaced by words that two programs agree about.

A thread is told by its node, tid and process; a group by its threads; a device by its kind and name. So a vertex that got
another number or another name is still the same, and only its name differs.
"""

import collections
import copy

import differences

# Fields that hold numbers of vertices, wherever they stand.
VERTEX_FIELDS = {"vertex", "members", "outside", "vertices", "from", "to"}


class Names:
    """Of the threads and vertices of one report. `known`: names that another report gave to the same ones."""

    def __init__(self, report, known=None):
        self.known = copy.deepcopy(known.known) if known else {}
        self.taken = known.taken.copy() if known else collections.Counter()
        self.threads = self._name_threads(report)
        self.vertices = self._name_vertices(report)
        self.frames = [f"{frame['label']} [{frame['file']}:{frame['line']} {frame['module']}"
                       f"{' inlined' if frame['inlined'] else ''}]" for frame in report["code"]]

    def _name(self, identity, readable):
        """The first report that has it names it."""
        if identity not in self.known:
            place = (identity[0], readable)
            self.taken[place] += 1
            self.known[identity] = readable if self.taken[place] == 1 else f"{readable} ({self.taken[place]})"
        return self.known[identity]

    def _name_threads(self, report):
        seen = collections.Counter()
        names = {}
        for thread in report["threads"]:
            told = (thread["node"], thread["tid"], thread["pid"])
            seen[told] += 1  # a tid may live twice
            node = f"{thread['node']}/" if thread["node"] else ""
            names[thread["id"]] = self._name(("thread", *told, seen[told]), f"{node}{thread['name']}/{thread['tid']}")
        return names

    def _name_vertices(self, report):
        seen = collections.Counter()
        names = {}
        for vertex in report["vertices"]:
            node = f"{vertex['node']}/" if vertex["node"] else ""
            members = tuple(sorted(self.threads[member] for member in vertex["members"]))
            told = ("vertex", members or (vertex["kind"], node, vertex["name"]))
            seen[told] += 1
            readable = members[0] if len(members) == 1 else f"{node}{vertex['name']}"
            if not members:
                readable = f"{vertex['kind']} {readable}"
            names[vertex["id"]] = self._name((*told, seen[told]), readable)
        return names

    def vertex(self, number):
        return self.vertices.get(number, f"vertex {number}")

    def frame(self, number):
        return self.frames[number] if number < len(self.frames) else f"frame {number}"


def keyed(rows, key_of):
    """A list as a table by key."""
    result = differences.Table()
    for row in rows:
        key, number = key_of(row), 1
        base = key
        while key in result:
            number += 1
            key = f"{base} ({number})"
        result[key] = row
    return result


def edge_key(edge):
    return f"{edge['from']} → {edge['to']}"


def _resolved(value, names, field=""):
    if isinstance(value, dict):
        return {key: _resolved(entry, names, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [_resolved(entry, names, field) for entry in value]
    if isinstance(value, int) and not isinstance(value, bool):
        if field in VERTEX_FIELDS:
            return names.vertex(value)
        if field == "frames":
            return names.frame(value)
    return value


def _finding_key(finding):
    about = ", ".join(finding["members"][:3]) or ", ".join(str(phase) for phase in finding.get("phases", [])[:3])
    return f"{'apart: ' if finding['apart'] else ''}{about}"


def by_name(report, names):
    """The report with words for numbers, and dicts for lists whose rows have names."""
    result = {key: _resolved(value, names) for key, value in report.items()
              if key not in ("code", "threads", "vertices", "cluster", "phases", "attribution", "bottlenecks", "issues")}
    # Numbers in these are of phases and resources, which the report tells in the log's order.
    for key in ("phases", "attribution", "bottlenecks", "issues"):
        result[key] = report.get(key, [])
    result["cluster"] = report.get("cluster")
    if result["cluster"]:
        result["cluster"] = dict(result["cluster"])
        result["cluster"]["links"] = keyed(_links(report["cluster"]["links"], names), lambda link: link["vertex"])
    result["threads"] = differences.Table({names.threads[row["id"]]: _thread(row, names) for row in report["threads"]})
    result["vertices"] = differences.Table({names.vertices[row["id"]]: _vertex(row, names) for row in report["vertices"]})
    for key, key_of in (("edges", edge_key), ("findings", _finding_key), ("counters", lambda row: row["name"])):
        result[key] = keyed(result[key], key_of)
        result[f"{key}_order"] = list(result[key])
    return result


def _links(links, names):
    return [{**link, "vertex": names.vertex(link["vertex"])} for link in links]


def _thread(row, names):
    return {**row, "id": None, "vertex": names.vertex(row["vertex"])}


def _vertex(row, names):
    result = _resolved({key: value for key, value in row.items() if key not in ("members", "id")}, names)
    result["members"] = sorted(names.threads[member] for member in row["members"])
    return result
