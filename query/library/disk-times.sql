-- SPDX-License-Identifier: Apache-2.0
-- How long disks took
SELECT d.name, r.operation, count(*) AS requests, min(r.service_ns) AS least_ns, avg(r.service_ns) AS mean_ns, max(r.service_ns) AS most_ns
FROM disk_request r
JOIN thread d ON d.id = r.disk
WHERE r.kind = 'complete'
GROUP BY d.id, r.operation
ORDER BY requests DESC;
