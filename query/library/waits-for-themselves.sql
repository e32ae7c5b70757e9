-- SPDX-License-Identifier: Apache-2.0
-- Groups whose threads wait for each other
SELECT from_label AS label, own_ns, count
FROM wait_graph
WHERE from_vertex = to_vertex
ORDER BY own_ns DESC;
