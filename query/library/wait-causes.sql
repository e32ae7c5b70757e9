-- SPDX-License-Identifier: Apache-2.0
-- What ended waits
SELECT cause, count(*) AS waits, sum(end_ns - begin_ns) AS ns
FROM segment
WHERE kind IN ('wait', 'spin') AND open < 2
GROUP BY cause
ORDER BY ns DESC;
