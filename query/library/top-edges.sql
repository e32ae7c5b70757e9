-- SPDX-License-Identifier: Apache-2.0
-- Who waits for whom, longest first
SELECT from_label, to_label, own_ns, weight_ns, count, longest_ns
FROM wait_graph
ORDER BY own_ns DESC, 1, 2 LIMIT 20;
