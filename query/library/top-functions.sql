-- SPDX-License-Identifier: Apache-2.0
-- Innermost functions of running threads, by samples
SELECT f.function, sum(s.weight) AS samples
FROM sample s
JOIN frame f ON f.stack = s.stack AND f.depth = 0
WHERE s.moment = 'cpu'
GROUP BY f.function
ORDER BY samples DESC, f.function LIMIT 20;
