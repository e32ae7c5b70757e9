-- SPDX-License-Identifier: Apache-2.0
-- Messages between nodes by their time under way
SELECT f.node AS from_node, f.name AS sender, t.node AS to_node, t.name AS receiver, e.to_ns - e.from_ns AS ns, e.clock_bound_ns
FROM edge e
JOIN thread f ON f.id = e.from_thread
JOIN thread t ON t.id = e.to_thread
WHERE e.kind = 'message'
ORDER BY ns DESC, e.to_ns LIMIT 20;
