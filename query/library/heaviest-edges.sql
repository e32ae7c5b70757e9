-- SPDX-License-Identifier: Apache-2.0
-- Who holds up whom, with all who wait behind
SELECT from_label, to_label, weight_ns, own_ns
FROM wait_graph
ORDER BY weight_ns DESC, 1, 2 LIMIT 20;
