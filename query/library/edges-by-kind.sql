-- SPDX-License-Identifier: Apache-2.0
-- How threads went on
SELECT kind, count(*) AS edges
FROM edge
GROUP BY kind
ORDER BY edges DESC, kind;
