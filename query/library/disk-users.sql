-- SPDX-License-Identifier: Apache-2.0
-- Who asked disks for how much
SELECT t.name, t.tid, r.operation, count(*) AS requests, sum(r.bytes) AS bytes
FROM disk_request r
JOIN thread t ON t.id = r.thread
WHERE r.kind = 'issue'
GROUP BY t.id, r.operation
ORDER BY bytes DESC;
