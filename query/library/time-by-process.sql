-- SPDX-License-Identifier: Apache-2.0
-- What each process did
SELECT process, count(*) AS threads, sum(run_ns) AS run_ns, sum(runnable_ns) AS runnable_ns, sum(wait_ns) AS wait_ns
FROM thread
WHERE tid IS NOT NULL
GROUP BY process
ORDER BY run_ns DESC;
