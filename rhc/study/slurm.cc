#include "rhc/study/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/plant/process.h"

namespace rhc {

namespace {

constexpr int kTasksFormat = 1;

// Where Slurm does not say how long an array may be, its own default.
constexpr int kUsualArray = 1001;

std::filesystem::path submission_path(const Sweep& sweep, int number) {
  return sweep.path / "slurm" / fmt::format("{:04}", number);
}

std::string job_name(const Sweep& sweep, int number) {
  return fmt::format("rhc-{}-{}", sweep.id, number);
}

// Numbers of all submissions so far.
std::vector<int> submissions(const Sweep& sweep) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(sweep.path / "slurm", error))
    if (const auto number = parse_integer(entry.path().filename().string()); number && *number > 0)
      numbers.push_back(static_cast<int>(*number));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// What a command of Slurm's printed; IoError in its own words.
std::string ask(const std::vector<std::string>& command, const char* what) {
  const ProcessResult result = run_process(command);
  if (result.code == 0) return result.out;
  if (result.code == 127)
    throw IoError(fmt::format(
        "cannot {}: the command {} was not found. Is Slurm installed here, or its module to be "
        "loaded? Without Slurm, `--launcher local` uses this machine's cores",
        what, command[0]));
  throw IoError(fmt::format("cannot {}: {} says:\n     {}", what, command[0],
                            trim(result.err.empty() ? result.out : result.err)));
}

// Of text with any signs, as a shell reads one word.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Of text on one line, as sbatch reads one word of a #SBATCH line: a backslash takes the next sign
// as it is, between quotes, too.
std::string sbatch_word(const std::string& text) {
  std::string word = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') word += '\\';
    word += c;
  }
  return word + "\"";
}

// Where the tasks of an array write. A percent sign begins one of Slurm's patterns, and a backslash
// anywhere ends them all: then there is one file for all tasks.
std::string output_pattern(const std::string& logs) {
  const bool patterns = logs.find('\\') == std::string::npos;
  std::string pattern;
  for (const char c : logs) {
    if (c == '\\' || (c == '%' && patterns)) pattern += c;
    pattern += c;
  }
  return pattern + (patterns ? "/%a.txt" : "/all.txt");
}

std::string script_text(const Sweep& sweep, int number, std::size_t tasks, bool retry) {
  const SlurmSettings& slurm = sweep.plan.slurm;
  const std::string folder = std::filesystem::absolute(submission_path(sweep, number)).string();
  std::string text = "#!/bin/sh\n";
  const auto option = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) text += fmt::format("#SBATCH --{}={}\n", name, sbatch_word(value));
  };
  option("job-name", job_name(sweep, number));
  option("array", slurm.most_at_once > 0 ? fmt::format("0-{}%{}", tasks - 1, slurm.most_at_once)
                                         : fmt::format("0-{}", tasks - 1));
  option("output", output_pattern(folder + "/logs"));
  option("open-mode", "append");
  option("cpus-per-task", std::to_string(slurm.cpus));
  // Told in time, a run saves where it is.
  option("signal", "B:TERM@30");
  option("partition", slurm.partition);
  option("account", slurm.account);
  option("time", slurm.time);
  option("mem", slurm.memory);
  text += "#SBATCH --requeue\n";
  for (const std::string& word : slurm.options) text += "#SBATCH " + sbatch_word(word) + "\n";
  text += fmt::format(
      "# Every run is done once, however often this is submitted: what is finished is left alone,\n"
      "# what was stopped goes on, and what another process is at is not touched.\n"
      "exec {} sweep work {} --submission {} --task \"$SLURM_ARRAY_TASK_ID\" --threads {}{}\n",
      shell_word(own_program()), shell_word(std::filesystem::absolute(sweep.path).string()), number,
      slurm.cpus, retry ? " --retry" : "");
  return text;
}

// How many tasks one array may have.
std::size_t longest_array() {
  const ProcessResult config = run_process({"scontrol", "show", "config"});
  for (const std::string_view line : split(config.out, '\n')) {
    if (!line.starts_with("MaxArraySize")) continue;
    const auto size = parse_integer(trim(line.substr(line.find('=') + 1)));
    if (size && *size > 0) return static_cast<std::size_t>(*size);
  }
  return kUsualArray;
}

JsonReader read_tasks(const Sweep& sweep, int number) {
  const JsonReader reader(submission_path(sweep, number) / "tasks.json");
  reader.check_format("rhc-slurm-tasks", "list of tasks", kTasksFormat);
  return reader;
}

// Whether an array that sbatch has not confirmed is there all the same, or nobody can tell.
bool in_queue(const Sweep& sweep, int number) {
  try {
    const std::vector<QueuedTask> queue = queue_of(sweep);
    return std::any_of(queue.begin(), queue.end(),
                       [&](const QueuedTask& task) { return task.submission == number; });
  } catch (const IoError&) {
    return true;
  }
}

SlurmJob submit_array(const Sweep& sweep, int number,
                      const std::vector<std::vector<std::string>>& tasks, bool retry) {
  const std::filesystem::path folder = submission_path(sweep, number),
                              script = folder / "script.sh";
  make_directories(folder / "logs");
  write_atomically(
      folder / "tasks.json",
      dump_any({{"format", "rhc-slurm-tasks"}, {"format_version", kTasksFormat}, {"tasks", tasks}},
               1) +
          "\n");
  write_atomically(script, script_text(sweep, number, tasks.size(), retry));
  std::string answer;
  try {
    answer = ask({"sbatch", "--parsable", std::filesystem::absolute(script).string()},
                 "submit the job array");
  } catch (const IoError&) {
    if (!in_queue(sweep, number)) {
      std::error_code error;
      std::filesystem::remove_all(folder, error);  // it is nobody's
    }
    throw;
  }
  // "17", or "17;cluster"
  const std::string id(trim(answer.substr(0, answer.find(';'))));
  write_atomically(folder / "job.txt", id + "\n");
  std::size_t runs = 0;
  for (const auto& task : tasks) runs += task.size();
  return {id, static_cast<int>(tasks.size()), static_cast<int>(runs), script};
}

}  // namespace

std::vector<QueuedTask> queue_of(const Sweep& sweep) {
  std::map<std::string, int> names;
  for (const int number : submissions(sweep)) names[job_name(sweep, number)] = number;
  std::vector<QueuedTask> tasks;
  if (names.empty()) return tasks;
  std::string all;
  for (const auto& [name, number] : names) all += (all.empty() ? "" : ",") + name;
  const std::string answer =
      ask({"squeue", "--noheader", "--array", "--format=%j|%F|%K|%T|%r", "--name=" + all},
          "ask for the queue");
  for (const std::string_view line : split(answer, '\n')) {
    const auto cells = split(trim(line), '|');
    if (cells.size() < 5) continue;
    const auto name = names.find(std::string(cells[0]));
    const auto task = parse_integer(cells[2]);
    // A task that is being put away begins nothing any more; another may wait for its end.
    if (name == names.end() || !task || cells[3] == "COMPLETING") continue;
    tasks.push_back({fmt::format("{}_{}", cells[1], cells[2]), name->second,
                     static_cast<int>(*task), std::string(cells[3]), std::string(cells[4])});
  }
  return tasks;
}

std::vector<std::string> runs_of_task(const Sweep& sweep, int submission, int task) {
  const JsonReader reader = read_tasks(sweep, submission);
  const Json& tasks = reader.at("tasks");
  if (task < 0 || static_cast<std::size_t>(task) >= tasks.size())
    reader.fail(fmt::format("there is no task {}", task));
  return tasks[static_cast<std::size_t>(task)].get<std::vector<std::string>>();
}

std::set<std::string> runs_in_queue(const Sweep& sweep, const std::vector<QueuedTask>& queue) {
  std::set<std::string> names;
  std::map<int, Json> lists;  // of each submission, read once however many tasks it has
  for (const QueuedTask& task : queue) {
    const auto known = lists.find(task.submission);
    const Json& tasks =
        known != lists.end()
            ? known->second
            : lists.emplace(task.submission, read_tasks(sweep, task.submission).at("tasks"))
                  .first->second;
    for (const auto& name : tasks.at(static_cast<std::size_t>(task.task)))
      names.insert(name.get<std::string>());
  }
  return names;
}

void check_slurm_path(const std::filesystem::path& sweep) {
  const std::string path = std::filesystem::absolute(sweep).string();
  if (has_control_characters(path))
    throw InputError(fmt::format(
        "'{}' has a control character in its path; choose another directory for a sweep on Slurm",
        visible(path)));
}

std::vector<SlurmJob> submit(const Sweep& sweep, const std::vector<std::size_t>& runs, bool retry) {
  const std::set<std::string> covered = runs_in_queue(sweep, queue_of(sweep));

  std::vector<std::vector<std::string>> tasks;
  const auto chunk = static_cast<std::size_t>(sweep.plan.slurm.chunk);
  for (const std::size_t r : runs) {
    const std::string& name = sweep.plan.runs[r].name;
    // The task that was to do it has gone past a run that failed.
    const bool failed = retry && status_of(sweep, sweep.plan.runs[r]).state == RunState::failed;
    if (covered.contains(name) && !failed) continue;
    if (tasks.empty() || tasks.back().size() >= chunk) tasks.emplace_back();
    tasks.back().push_back(name);
  }
  std::vector<SlurmJob> jobs;
  if (tasks.empty()) return jobs;
  const std::size_t longest = longest_array();
  const std::vector<int> before = submissions(sweep);
  int number = before.empty() ? 0 : before.back();
  for (std::size_t begin = 0; begin < tasks.size(); begin += longest) {
    const auto first = tasks.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last =
        tasks.begin() + static_cast<std::ptrdiff_t>(std::min(tasks.size(), begin + longest));
    try {
      jobs.push_back(submit_array(sweep, ++number, {first, last}, retry));
    } catch (const IoError& error) {
      if (jobs.empty()) throw;
      throw IoError(
          fmt::format("{}\n{} tasks were submitted before that; the same command submits the rest",
                      error.what(), begin));
    }
  }
  return jobs;
}

std::vector<std::string> cancel_jobs(const Sweep& sweep) {
  std::set<std::string> jobs;
  for (const QueuedTask& task : queue_of(sweep))
    jobs.insert(task.job.substr(0, task.job.find('_')));
  if (jobs.empty()) return {};
  std::vector<std::string> command = {"scancel"};
  command.insert(command.end(), jobs.begin(), jobs.end());
  ask(command, "cancel the jobs");
  return {jobs.begin(), jobs.end()};
}

}  // namespace rhc
