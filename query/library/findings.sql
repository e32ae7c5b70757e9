-- SPDX-License-Identifier: Apache-2.0
-- What limits the target
SELECT rank, kind, sure, share, title
FROM finding
WHERE NOT apart
ORDER BY rank;
