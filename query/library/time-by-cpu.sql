-- SPDX-License-Identifier: Apache-2.0
-- How long threads ran on each CPU
SELECT cpu, sum(end_ns - begin_ns) AS run_ns, count(DISTINCT thread) AS threads
FROM segment
WHERE kind IN ('run', 'spin')
GROUP BY cpu
ORDER BY cpu;
