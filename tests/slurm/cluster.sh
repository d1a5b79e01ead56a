#!/usr/bin/env bash
# A Slurm cluster of one node, this machine, for the tests. Needs root, and slurmctld, slurmd and munged.
#   cluster.sh start DIR        both daemons; DIR/slurm.conf is what SLURM_CONF must name
#   cluster.sh controller DIR   the controller again, after it was killed
#   cluster.sh node DIR         the node's daemon again
#   cluster.sh resume DIR       the node takes tasks, even if it was put aside
#   cluster.sh stop DIR
set -euo pipefail
verb=$1
dir=$(mkdir -p "$2" && cd "$2" && pwd)
host=$(hostname -s)
export SLURM_CONF=$dir/slurm.conf

# Both sides prove who they are by munge, by its daemon: the one that is there, or one for as long as the tests run.
start_munge() {
  pgrep -x munged >/dev/null && return
  [ -s /etc/munge/munge.key ] || { dd if=/dev/urandom bs=128 count=1 of=/etc/munge/munge.key status=none; }
  chown munge: /etc/munge/munge.key && chmod 400 /etc/munge/munge.key
  install -d -o munge -g munge /run/munge
  runuser -u munge -- munged --force
  touch "$dir/munge-is-ours"
}

write_settings() {
  cat >"$SLURM_CONF" <<CONF
ClusterName=rhc-tests
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
# A node that was away is taken back as soon as it answers.
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=20
# Tests have no time to wait.
KillWait=60
# A task that is put back begins at once, not after two minutes.
AuthInfo=cred_expire=5
MinJobAge=5
SchedulerParameters=sched_interval=2,batch_sched_delay=0
StateSaveLocation=$dir/controller
SlurmdSpoolDir=$dir/node
SlurmctldPidFile=$dir/controller.pid
SlurmdPidFile=$dir/node.pid
SlurmctldLogFile=$dir/controller.log
SlurmdLogFile=$dir/node.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

node_state() { sinfo -h -o %T 2>/dev/null || echo "unknown: the controller does not answer"; }

# What an administrator does where the controller has put the node aside: a task that it started just before
# it died it starts again, finds it there, and drains the node.
wait_for_node() {
  for _ in $(seq 120); do
    case $(node_state) in
      idle | mixed | allocated | planned) return ;;
      drain* | down*) scontrol update "nodename=$host" state=resume 2>/dev/null || true ;;
    esac
    sleep 0.5
  done
  {
    echo "cluster.sh: the node does not answer; it is $(node_state)"
    scontrol show node "$host" || true
    pgrep -a slurm || true
    tail -n 15 "$dir/controller.log" "$dir/node.log"
  } >&2
  exit 1
}

stop_daemon() {
  local pid
  pid=$(cat "$dir/$1.pid" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
}

case $verb in
  start)
    mkdir -p "$dir/controller" "$dir/node"
    start_munge
    write_settings
    slurmctld
    slurmd
    wait_for_node
    ;;
  controller) slurmctld ;;
  node)
    slurmd
    wait_for_node
    ;;
  resume) wait_for_node ;;
  stop)
    scancel --user="$(id -un)" 2>/dev/null || true
    stop_daemon node
    stop_daemon controller
    [ ! -e "$dir/munge-is-ours" ] || { pkill -x munged && rm "$dir/munge-is-ours"; }
    ;;
  *)
    echo "cluster.sh: unknown verb '$verb'" >&2
    exit 2
    ;;
esac
