# SPDX-License-Identifier: Apache-2.0
# Requests and bytes of each user in a web server's log.
{
  size = $0
  sub(/.* bytes=/, "", size)
  requests[$3]++
  bytes[$3] += size
}
END { for (user in requests) print user, requests[user], bytes[user] }
