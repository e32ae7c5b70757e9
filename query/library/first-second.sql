-- SPDX-License-Identifier: Apache-2.0
-- Who waits for whom in the first second
SELECT from_label, to_label, own_ns, count
FROM wait_graph(0, 1000000000)
ORDER BY own_ns DESC, 1, 2 LIMIT 20;
