// SPDX-License-Identifier: Apache-2.0
// Questions about what is selected, which all views share. `needs`: the values that the selection must give.
export const ownQuestions = [
  {name: "waits-of-thread", about: "The longest waits of the selected thread", sql: `SELECT s.begin_ns, s.end_ns, s.end_ns - s.begin_ns AS waited_ns, s.cause, w.name AS ended_by, s.waker
FROM segment s
LEFT JOIN thread w ON w.id = s.waker
WHERE s.thread = :thread AND s.kind = 'wait' AND s.begin_ns < :to AND s.end_ns > :from
ORDER BY waited_ns DESC LIMIT 100`},
  {name: "who-ends-its-waits", about: "Who ends the waits of the selected thread", sql: `SELECT s.waker, w.name, w.process, count(*) AS waits, sum(s.end_ns - s.begin_ns) AS waited_ns
FROM segment s
JOIN thread w ON w.id = s.waker
WHERE s.thread = :thread AND s.kind = 'wait' AND s.begin_ns < :to AND s.end_ns > :from
GROUP BY s.waker
ORDER BY waited_ns DESC LIMIT 40`},
  {name: "what-it-did", about: "Everything that the selected thread did, in order", sql: `SELECT begin_ns, end_ns, end_ns - begin_ns AS took_ns, kind, cause, waker, cpu
FROM segment
WHERE thread = :thread AND begin_ns < :to AND end_ns > :from
ORDER BY begin_ns LIMIT 10000`},
  {name: "what-led-here", about: "Where the time went that led to the selected moment", sql: `SELECT name, run_ns, runnable_ns, wait_ns, stretches
FROM aggregate('name', :thread, :at, 'backward')
ORDER BY run_ns + runnable_ns + wait_ns DESC`},
  {name: "graph-of-range", about: "Who waits for whom in the shown range", sql: `SELECT from_label, to_label, weight_ns, own_ns, count
FROM wait_graph(:from, :to)
ORDER BY weight_ns DESC LIMIT 40`},
  {name: "cpu-in-range", about: "Who ran in the shown range", sql: `SELECT s.thread, t.name, t.process, sum(min(s.end_ns, :to) - max(s.begin_ns, :from)) AS ran_ns
FROM segment s
JOIN thread t ON t.id = s.thread
WHERE s.kind = 'run' AND s.begin_ns < :to AND s.end_ns > :from
GROUP BY s.thread
ORDER BY ran_ns DESC LIMIT 40`},
  {name: "threads-of-node", about: "The threads of the selected node of the graph", sql: `SELECT id, name, process, tid, run_ns, runnable_ns, wait_ns
FROM thread
WHERE vertex = :vertex
ORDER BY wait_ns DESC`},
];
