-- SPDX-License-Identifier: Apache-2.0
-- What all threads did, in all
SELECT kind, count(*) AS segments, sum(end_ns - begin_ns) AS ns
FROM segment
GROUP BY kind
ORDER BY ns DESC;
