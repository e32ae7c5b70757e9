# SPDX-License-Identifier: Apache-2.0
# Where the prolog and the epilog agree; both read it. /etc/gordian/slurm.sh may set the same names otherwise.
# shellcheck shell=bash disable=SC2034
# Slurm gives its prologs no search path.
PATH=${PATH:+$PATH:}/usr/sbin:/usr/bin:/sbin:/bin
gordian=gordian
socket=/run/gordian/gordiand.sock
state_dir=/var/lib/gordian
# What one job may take on each node, and for how long at most; the node's own limits (gordiand.yaml) hold besides.
max_duration=24h
# Either all of it, until it has that size; or, if `ring` is not empty, the newest within so much (a flight recorder).
max_size=2G
ring=
# Where sessions are collected to: a folder of each job's, on a file system that all nodes share. Empty: they stay on the nodes.
results=
# Which jobs are recorded: those that ask for it, with sbatch --constraint=gordian, where nodes have Feature=gordian.
wanted() { [[ ",${SLURM_JOB_CONSTRAINTS:-}," =~ [^A-Za-z0-9_]gordian[^A-Za-z0-9_] ]]; }
# Says that a job's session was begun; the epilog is not told what the prolog was.
marks=/run/gordian-slurm
session() { echo "job-$SLURM_JOB_ID"; }
say() { logger -t gordian-slurm -- "$*" 2>/dev/null || echo "gordian-slurm: $*" >&2; }
# shellcheck source=/dev/null
[ ! -r "${GORDIAN_SLURM_SETTINGS:-/etc/gordian/slurm.sh}" ] || . "${GORDIAN_SLURM_SETTINGS:-/etc/gordian/slurm.sh}"
