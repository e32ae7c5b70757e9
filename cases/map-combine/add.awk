# SPDX-License-Identifier: Apache-2.0
# Adds the counts of neighbouring lines with the same address.
$2 != address { if (address) printf "%7d %s\n", sum, address; address = $2; sum = 0 }
{ sum += $1 }
END { if (address) printf "%7d %s\n", sum, address }
