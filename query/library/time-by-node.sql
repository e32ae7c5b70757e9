-- SPDX-License-Identifier: Apache-2.0
-- What each node's threads did
SELECT node, count(*) AS threads, sum(run_ns) AS run_ns, sum(wait_ns) AS wait_ns
FROM thread
WHERE tid IS NOT NULL
GROUP BY node
ORDER BY run_ns DESC;
