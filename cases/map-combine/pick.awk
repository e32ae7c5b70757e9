# SPDX-License-Identifier: Apache-2.0
# The address of each line.
{ print $1 }
