#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording in Python, cell by cell. Jupyter, VS Code and Spyder show each "# %%" as a cell.

usage: recording.py DIR
"""

# %% Open a recording
import sys

import numpy

import gordian

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "trace"
recording = gordian.open(FOLDER)
con = recording.connect()

# %% What takes the threads' time? In SQL …
for kind, seconds in con.execute("SELECT kind, sum(end_ns - begin_ns) / 1e9 FROM segment GROUP BY kind ORDER BY 2 DESC"):
    print(f"{kind:10} {seconds:12.6f} s")

# %% … and with arrays
segments = recording.segments
spans_ns = segments.end_ns - segments.begin_ns
for number, kind in enumerate(segments.words["kind"]):
    print(f"{kind:10} {spans_ns[segments.kind == number].sum() / 1e9:12.6f} s")

# %% How long do threads wait for a CPU once they could run?
late_ns = spans_ns[segments.kind == segments.code("kind", "runnable")]
if late_ns.size:
    for share in (50, 90, 99, 100):
        print(f"{share:3} % wait for a CPU at most {numpy.percentile(late_ns, share) / 1e3:10.1f} us")

# %% Who wakes whom, and how often?
edges = recording.edges
names = recording.threads.text("name")
count = len(names)
is_wake = (edges.kind == edges.code("kind", "wake")) & (edges.from_thread != gordian.NONE)
pairs = edges.from_thread[is_wake].astype(numpy.int64) * count + edges.to_thread[is_wake]
pair, times = numpy.unique(pairs, return_counts=True)
for i in numpy.argsort(-times, kind="stable")[:10]:
    print(f"{times[i]:8} {names[pair[i] // count]} wakes {names[pair[i] % count]}")

# %% How many threads run at each moment? One step up where a run begins, one down where it ends
runs = (segments.kind == segments.code("kind", "run")) & (spans_ns > 0)
times_ns = numpy.concatenate([segments.begin_ns[runs], segments.end_ns[runs]])
steps = numpy.repeat([1, -1], runs.sum())
order = numpy.lexsort([steps, times_ns])
running = numpy.cumsum(steps[order])
lasts_ns = numpy.diff(times_ns[order], append=times_ns.max(initial=0))
for level in range(running.max(initial=0) + 1):
    print(f"{level:3} running: {lasts_ns[running == level].sum() / 1e9:10.6f} s")

# %% The heaviest edges of the wait-for graph of the first second
query = "SELECT from_label, to_label, weight_ns FROM wait_graph(0, 1000000000) ORDER BY weight_ns DESC LIMIT 5"
for waiter, waited_for, weight_ns in con.execute(query):
    print(f"{waiter} waits for {waited_for}: {weight_ns / 1e6:.3f} ms")
