#include "rhc/study/local_launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <iostream>
#include <list>
#include <optional>

#include "rhc/core/error.h"
#include "rhc/format/json.h"

namespace rhc {

namespace {

using LauncherClock = std::chrono::steady_clock;
constexpr int kMostDeaths = 3;
constexpr auto kPatience = std::chrono::seconds(1);  // before a run that others hold is asked again
constexpr int kTick = 200;                           // ms

struct Worker {
  pid_t process = -1;
  int to = -1, from = -1;
  std::string unread;
  std::optional<std::size_t> run;
  int episode = 0;
};

struct Waiting {
  std::size_t run;
  LauncherClock::time_point not_before{};
};

class Launcher {
 public:
  Launcher(const Sweep& sweep, const LocalSettings& settings, const SweepEvents& events)
      : sweep_(sweep), settings_(settings), events_(events), deaths_(sweep.plan.runs.size()) {}

  ~Launcher() {
    for (Worker& worker : workers_) end(worker, SIGKILL);
  }

  bool run(std::vector<std::size_t> runs, const Estimate& estimate) {
    std::vector<double> seconds(sweep_.plan.runs.size());
    for (const std::size_t r : runs) seconds[r] = estimate.seconds_of(sweep_.plan.runs[r]);
    std::stable_sort(runs.begin(), runs.end(),
                     [&](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
    for (const std::size_t r : runs) waiting_.push_back({r});

    while (!waiting_.empty() || working() > 0) {
      const int stop = events_.stop_requested ? events_.stop_requested() : 0;
      if (stop > 0 && stop_ == 0)
        for (const Worker& worker : workers_) ::kill(worker.process, SIGTERM);
      if (stop > 1) return false;
      stop_ = stop;
      if (stop_ > 0 && working() == 0) return false;
      if (stop_ == 0) hand_out();
      listen();
      if (events_.on_tick) events_.on_tick();
    }
    for (Worker& worker : workers_) end(worker, 0);
    workers_.clear();
    return true;
  }

 private:
  std::size_t working() const {
    return static_cast<std::size_t>(std::count_if(
        workers_.begin(), workers_.end(), [](const Worker& w) { return w.run.has_value(); }));
  }

  void hand_out() {
    const auto now = LauncherClock::now();
    const auto next = [&] {
      return std::find_if(waiting_.begin(), waiting_.end(),
                          [&](const Waiting& w) { return w.not_before <= now; });
    };
    for (auto at = next(); at != waiting_.end(); at = next()) {
      auto idle =
          std::find_if(workers_.begin(), workers_.end(), [](const Worker& w) { return !w.run; });
      if (idle == workers_.end()) {
        if (workers_.size() >= static_cast<std::size_t>(settings_.jobs)) return;
        workers_.push_back(start());
        idle = std::prev(workers_.end());
      }
      const std::size_t run = at->run;
      waiting_.erase(at);
      idle->run = run;
      idle->episode = 0;
      // One that has just died is noticed in listening.
      const std::string line = sweep_.plan.runs[run].name + "\n";
      (void)!::write(idle->to, line.data(), line.size());
      if (events_.on_begin) events_.on_begin(run);
    }
  }

  Worker start() const {
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
      throw IoError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    std::vector<std::string> command = {
        "rhc",       "sweep",
        "work",      std::filesystem::absolute(sweep_.path).string(),
        "--threads", std::to_string(settings_.threads)};
    if (settings_.retry) command.emplace_back("--retry");
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    // A signal that comes before the new program can hear it waits.
    sigset_t stops, before;
    ::sigemptyset(&stops);
    ::sigaddset(&stops, SIGINT);
    ::sigaddset(&stops, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &stops, &before);
    const pid_t parent = ::getpid(), child = ::fork();
    if (child != 0) ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) throw IoError(fmt::format("cannot make a process: {}", std::strerror(errno)));
    if (child == 0) {
      // Saves its run when we are killed; a Ctrl-C of the terminal is for us to pass on.
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::setpgid(0, 0);
      if (::getppid() != parent) ::_exit(1);
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      ::signal(SIGINT, SIG_DFL);
      ::signal(SIGTERM, SIG_DFL);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      // This very program, even where its file has been replaced.
      ::execv("/proc/self/exe", words.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    return {child, to[1], from[0], "", std::nullopt, 0};
  }

  // Waits for the process; the signal first, where there is one.
  static int end(Worker& worker, int signal) {
    if (signal != 0) ::kill(worker.process, signal);
    ::close(worker.to);
    ::close(worker.from);
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  void listen() {
    std::vector<pollfd> ends;
    for (const Worker& worker : workers_) ends.push_back({worker.from, POLLIN, 0});
    if (::poll(ends.data(), ends.size(), kTick) <= 0) return;
    std::size_t i = 0;
    for (auto worker = workers_.begin(); worker != workers_.end(); ++i) {
      const bool heard = ends[i].revents != 0;
      if (heard && !hear(*worker)) {
        bury(*worker);
        worker = workers_.erase(worker);
      } else {
        ++worker;
      }
    }
  }

  // Whether it is still there.
  bool hear(Worker& worker) {
    char buffer[65536];
    const ssize_t got = ::read(worker.from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    worker.unread.append(buffer, static_cast<std::size_t>(got));
    for (std::size_t end; (end = worker.unread.find('\n')) != std::string::npos;) {
      const std::string line = worker.unread.substr(0, end);
      worker.unread.erase(0, end + 1);
      if (worker.run) take(worker, line);
    }
    return true;
  }

  void take(Worker& worker, const std::string& line) {
    const Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return;  // a library's chatter
    const std::size_t run = *worker.run;
    if (said.contains("episode")) {
      worker.episode = said["episode"].get<int>();
      if (events_.on_episode) events_.on_episode(run, worker.episode);
    } else if (said.contains("end")) {
      const std::string end = said["end"].get<std::string>();
      WorkResult result{WorkEnd::failed, said["why"].get<std::string>(),
                        said["seconds"].get<double>()};
      for (const WorkEnd e : {WorkEnd::finished, WorkEnd::interrupted, WorkEnd::busy})
        if (end == name(e)) result.end = e;
      worker.run.reset();
      // Saved, but not done: by us when nobody stops us, or by whoever goes on with the sweep.
      if (result.end == WorkEnd::interrupted) waiting_.push_front({run});
      if (result.end == WorkEnd::busy) {
        if (!waited_ && events_.on_remark) events_.on_remark(result.why);
        waited_ = true;
        waiting_.push_back({run, LauncherClock::now() + kPatience});
      }
      if (events_.on_end) events_.on_end(run, result);
    }
  }

  // A process that ended in the middle of a run, by a signal or by a crash.
  void bury(Worker& worker) {
    const int status = end(worker, 0);
    if (!worker.run) return;
    const std::size_t run = *worker.run;
    Deaths& deaths = deaths_[run];
    deaths.count = worker.episode > deaths.episode ? 1 : deaths.count + 1;
    deaths.episode = std::max(deaths.episode, worker.episode);
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                              strsignal(WTERMSIG(status)))
                                : fmt::format("ended with code {}", WEXITSTATUS(status));
    if (stop_ > 0) {
      waiting_.push_front({run});
      if (events_.on_end) events_.on_end(run, {WorkEnd::interrupted});
      return;
    }
    if (deaths.count < kMostDeaths) {
      if (events_.on_remark)
        events_.on_remark(fmt::format("{}: its process {}; another goes on with it",
                                      sweep_.plan.runs[run].name, how));
      if (events_.on_end) events_.on_end(run, {WorkEnd::busy});
      waiting_.push_front({run});
      return;
    }
    const WorkResult result{
        WorkEnd::failed,
        fmt::format("its process {}, {} times without getting any further", how, kMostDeaths)};
    note_failure(sweep_, sweep_.plan.runs[run], result.why);
    if (events_.on_end) events_.on_end(run, result);
  }

  struct Deaths {
    int count = 0, episode = 0;
  };

  const Sweep& sweep_;
  const LocalSettings& settings_;
  const SweepEvents& events_;
  std::deque<Waiting> waiting_;
  std::list<Worker> workers_;
  std::vector<Deaths> deaths_;
  int stop_ = 0;
  bool waited_ = false;
};

}  // namespace

bool run_locally(const Sweep& sweep, const std::vector<std::size_t>& runs,
                 const LocalSettings& settings, const Estimate& estimate,
                 const SweepEvents& events) {
  // A worker that dies while it is written to must not take the launcher with it.
  ::signal(SIGPIPE, SIG_IGN);
  return Launcher(sweep, settings, events).run(runs, estimate);
}

void work_for_launcher(const Sweep& sweep, const WorkSettings& settings) {
  // When the launcher is no more, nobody listens: the run is saved all the same.
  ::signal(SIGPIPE, SIG_IGN);
  Yardsticks yardsticks(sweep.yardsticks());
  const auto say = [](const Json& json) {
    std::cout << dump_any(json) << std::endl;  // flushed: the launcher waits for it
  };
  for (std::string line; std::getline(std::cin, line);) {
    const PlannedRun& run = run_named(sweep, line);
    WorkSettings reporting = settings;
    reporting.on_episode = [&](int episode) { say({{"episode", episode}}); };
    const WorkResult result = work_on(sweep, run, yardsticks, reporting);
    say({{"end", name(result.end)}, {"why", result.why}, {"seconds", result.seconds}});
    if (result.end == WorkEnd::interrupted) break;
  }
}

}  // namespace rhc
