-- SPDX-License-Identifier: Apache-2.0
-- What interfaces carried
SELECT i.node, i.name, p.direction, count(*) AS packets, sum(p.bytes) AS bytes
FROM packet p
JOIN thread i ON i.id = p.interface
GROUP BY i.id, p.direction
ORDER BY bytes DESC;
