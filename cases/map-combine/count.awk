# SPDX-License-Identifier: Apache-2.0
# How often each address stands in a log.
{ count[$1]++ }
END { for (address in count) print count[address], address }
