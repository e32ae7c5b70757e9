# SPDX-License-Identifier: Apache-2.0
# Where prolog, epilog and report agree; all read it. /etc/gordian/slurm.sh may set the same names otherwise.
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
# More options of gordian-start(1): (--stacks sampled), or (--only) to record nothing of others on the node.
options=()
# Where sessions are collected to: a folder of each job's, on a file system that all nodes share and where only root may read
# (0700). Empty: they stay on the nodes, and there is no report.
results=
# Which jobs are recorded: those that ask for it, by the word `gordian` in sbatch --comment, or by --constraint=gordian where
# nodes have Feature=gordian. `wanted() { :; }` records all.
wanted() {
  [[ " ${SLURM_JOB_COMMENT:-} " =~ [[:space:],]gordian[[:space:],] ]] ||
    [[ ",${SLURM_JOB_CONSTRAINTS:-}," =~ [^A-Za-z0-9_]gordian[^A-Za-z0-9_] ]]
}
# From so many nodes on, gordian-mpi makes the report if it is installed, with so many ranks on the node that makes it.
mpi_nodes=16
mpi_ranks=$(nproc)
# How long the report may take, and how long it waits for nodes that do not end, as those that went down.
report_timeout=1h
report_wait_s=120
# Where Slurm keeps the processes of a job, if it is the only one to keep groups (CgroupPlugin=cgroup/v2).
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
slice=system.slice
# Says that a job's session was begun, or why not; the epilog is not told what the prolog was.
marks=/run/gordian-slurm
node=${SLURMD_NODENAME:-$(hostname -s)}
# A job that is put back into the queue and runs again has the same number.
session() { echo "job-$SLURM_JOB_ID$([ "${SLURM_JOB_RESTART_COUNT:-0}" = 0 ] || echo "-$SLURM_JOB_RESTART_COUNT")"; }
say() { logger -t gordian-slurm -- "$*" 2>/dev/null || echo "gordian-slurm: $*" >&2; }
# shellcheck source=/dev/null
[ ! -r "${GORDIAN_SLURM_SETTINGS:-/etc/gordian/slurm.sh}" ] || . "${GORDIAN_SLURM_SETTINGS:-/etc/gordian/slurm.sh}"
# These become parts of paths.
[[ ${SLURM_JOB_ID:-} =~ ^[0-9]+$ && ${SLURM_JOB_RESTART_COUNT:-0} =~ ^[0-9]+$ && $node =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || exit 0
