-- SPDX-License-Identifier: Apache-2.0
-- What each container's threads did
SELECT container, count(*) AS threads, sum(run_ns) AS run_ns, sum(wait_ns) AS wait_ns
FROM thread
WHERE tid IS NOT NULL
GROUP BY container
ORDER BY run_ns DESC;
