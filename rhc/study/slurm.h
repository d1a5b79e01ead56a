// A sweep on a Slurm cluster: job arrays, submitted and asked about by Slurm's own commands.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "rhc/study/sweep.h"

namespace rhc {

// A task of one of the sweep's job arrays that is not over.
struct QueuedTask {
  std::string job;  // "17_3"
  int submission, task;
  std::string state;   // "PENDING", "RUNNING", ...
  std::string reason;  // why it waits, in Slurm's words

  bool pending() const { return state == "PENDING"; }
};

// The tasks of all its arrays. IoError with squeue's own words where it fails.
std::vector<QueuedTask> queue_of(const Sweep& sweep);

// Names of the runs that a task does, in their order. InputError where there is no such task.
std::vector<std::string> runs_of_task(const Sweep& sweep, int submission, int task);

// Names of the runs that tasks in the queue will do or are doing.
std::set<std::string> runs_in_queue(const Sweep& sweep, const std::vector<QueuedTask>& queue);

struct SlurmJob {
  std::string id;
  int tasks, runs;
  std::filesystem::path script;
};

// InputError where a line of a batch script cannot name the sweep's directory.
void check_slurm_path(const std::filesystem::path& sweep);

// Submits those of the runs that no queued task will do. What each task does is written down before
// it is submitted, under a name by which the queue can be asked: nothing is submitted twice, even
// if this process is killed in between. The caller holds the sweep's lock. IoError with sbatch's
// own words where it refuses.
std::vector<SlurmJob> submit(const Sweep& sweep, const std::vector<std::size_t>& runs, bool retry);

// Takes all its tasks out of the queue; running ones save their state. Returns the jobs' numbers.
std::vector<std::string> cancel_jobs(const Sweep& sweep);

}  // namespace rhc
