-- SPDX-License-Identifier: Apache-2.0
-- Pairs that wait for each other
SELECT a.from_label, a.to_label, a.own_ns, b.own_ns AS back_ns
FROM wait_graph a
JOIN wait_graph b ON b.from_vertex = a.to_vertex AND b.to_vertex = a.from_vertex
WHERE a.from_vertex < a.to_vertex
ORDER BY min(a.own_ns, b.own_ns) DESC;
