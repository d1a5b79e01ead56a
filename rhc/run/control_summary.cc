#include "rhc/run/control_summary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <vector>

namespace rhc {

namespace {

Json durations_json(const Durations& durations) {
  return {{"p50", 1e3 * durations.quantile(0.5)},
          {"p99", 1e3 * durations.quantile(0.99)},
          {"p99_9", 1e3 * durations.quantile(0.999)},
          {"longest", 1e3 * durations.longest()}};
}

std::string durations_in_words(const Durations& durations) {
  return fmt::format(
      "{:.3g} ms in the median, {:.3g} in 99 of 100, {:.3g} in 999 of 1,000, {:.3g} "
      "at most",
      1e3 * durations.quantile(0.5), 1e3 * durations.quantile(0.99),
      1e3 * durations.quantile(0.999), 1e3 * durations.longest());
}

std::string times(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string ending_in_words(const ControlSummary& s) {
  const std::string ran = fmt::format("after {:.1f} s, {} of {:.4g} ms", s.seconds,
                                      times(s.steps, "step", "steps"), 1e3 * s.period);
  switch (s.ending) {
    case ControlEnding::done:
      return "Done " + ran + ".";
    case ControlEnding::interrupted:
      return "Interrupted " + ran + ".";
    case ControlEnding::stopped:
      return fmt::format("The plant stopped {}: {}", ran, s.why);
    case ControlEnding::ended:
      return fmt::format("The plant ended it {}: {}", ran, s.why);
    case ControlEnding::gone:
      return fmt::format("The plant was gone {}: {}", ran, s.why);
    case ControlEnding::given_up:
      return fmt::format("Given up {}: {}", ran, s.why);
  }
  return "";
}

std::string deadlines_in_words(const ControlSummary& s) {
  if (s.missed_deadlines() == 0) return "No deadline was missed.";
  const double all = static_cast<double>(s.steps + s.missed_steps);
  std::string words = fmt::format("{} missed ({:.3g} %): {} too late",
                                  times(s.missed_deadlines(), "deadline was", "deadlines were"),
                                  100 * static_cast<double>(s.missed_deadlines()) / all,
                                  times(s.sent_late, "action left", "actions left"));
  if (s.missed_steps > 0)
    words += fmt::format(
        ", and {} missed altogether in {}, the longest of {:.4g} s: the processor was busy "
        "elsewhere, or the clock jumped",
        times(s.missed_steps, "step was", "steps were"), times(s.delays, "delay", "delays"),
        s.longest_delay);
  return words + ".";
}

// What there was of this, as "3 steps without a measurement".
std::string trouble_of(const ControlSummary& s) {
  std::string words;
  const auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    words += (words.empty() ? "" : ", ") + times(count, one, many);
  };
  add(s.no_measurement, "step without a measurement", "steps without a measurement");
  add(s.absurd, "absurd measurement", "absurd measurements");
  add(s.believed, "measurement that was believed although it was far off",
      "measurements that were believed although they were far off");
  add(s.nonsense, "step with nonsense", "steps with nonsense");
  add(s.not_taken, "action that the plant did not take", "actions that the plant did not take");
  add(s.dropped.late, "measurement that came too late", "measurements that came too late");
  add(s.dropped.doubled, "that came twice", "that came twice");
  add(s.dropped.lost, "that was lost", "that were lost");
  return words;
}

}  // namespace

const char* name(ControlEnding ending) {
  switch (ending) {
    case ControlEnding::done:
      return "done";
    case ControlEnding::interrupted:
      return "interrupted";
    case ControlEnding::stopped:
      return "stopped";
    case ControlEnding::ended:
      return "ended";
    case ControlEnding::gone:
      return "gone";
    case ControlEnding::given_up:
      return "given up";
  }
  return "";
}

Json control_json(const ControlSummary& s) {
  return {{"format", "rhc-control"},
          {"format_version", 1},
          {"ending", name(s.ending)},
          {"why", s.why},
          {"steps", s.steps},
          {"period", s.period},
          {"seconds", s.seconds},
          {"cost", s.cost},
          {"missed_deadlines", s.missed_deadlines()},
          {"sent_late", s.sent_late},
          {"missed_steps", s.missed_steps},
          {"delays", s.delays},
          {"longest_delay", s.longest_delay},
          {"sent_ms", durations_json(s.sent)},
          {"act_cpu_ms", durations_json(s.act)},
          {"step_cpu_ms", durations_json(s.step)},
          {"stolen_seconds", s.stolen_seconds},
          {"no_measurement", s.no_measurement},
          {"absurd", s.absurd},
          {"believed", s.believed},
          {"nonsense", s.nonsense},
          {"first_nonsense", s.first_nonsense},
          {"not_taken", s.not_taken},
          {"dropped",
           {{"late", s.dropped.late},
            {"doubled", s.dropped.doubled},
            {"lost", s.dropped.lost},
            {"superseded", s.dropped.superseded},
            {"nonsense", s.dropped.nonsense}}},
          {"sources", s.sources},
          {"falls", s.falls},
          {"learned", s.learned},
          {"log_lost", s.log_lost},
          {"log_failure", s.log_failure}};
}

std::string in_words(const ControlSummary& s) {
  std::string text = ending_in_words(s) + "\n";
  if (s.ending != ControlEnding::done) text += "The plant was sent the action at rest.\n";
  if (s.steps == 0) return text;
  text += fmt::format("Cost of the task until then, by what was measured: {:.6g}\n", s.cost);
  text += deadlines_in_words(s) + "\n";
  const std::string trouble = trouble_of(s);
  text += trouble.empty() ? "No trouble with measurements.\n" : "Trouble: " + trouble + ".\n";
  if (!s.first_nonsense.empty()) text += "The first nonsense: " + s.first_nonsense + "\n";
  text += "Actions came from";
  for (const auto& [source, steps] : s.sources)
    text += fmt::format("{} {} ({})", source == s.sources.begin()->first ? "" : ",", source, steps);
  text += "\nAn action took " + durations_in_words(s.act) + ";\n";
  text += "a step with the next plan " + durations_in_words(s.step) + " (processor time).\n";
  text += fmt::format("Stolen by other machines meanwhile: {:.2f} s\n", s.stolen_seconds);
  if (s.log_lost > 0)
    text += fmt::format("The log lacks {}: the disk was too slow.\n",
                        times(s.log_lost, "step", "steps"));
  if (!s.log_failure.empty()) text += "The log is not whole: " + s.log_failure + "\n";
  return text;
}

std::string control_line(const Json& summary) {
  const auto number = [&](const char* key) {
    const auto found = summary.find(key);
    return found != summary.end() && found->is_number() ? found->get<double>() : 0;
  };
  const auto text = [&](const char* key) {
    const auto found = summary.find(key);
    return found != summary.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const std::string why = text("why");
  return fmt::format("{}{}, {:.0f} steps in {:.1f} s, {:.0f} deadlines missed, cost {:.6g}",
                     text("ending"), why.empty() ? "" : " (" + why + ")", number("steps"),
                     number("seconds"), number("missed_deadlines"), number("cost"));
}

double stolen_seconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  double value = 0;
  file >> word;
  // user, nice, system, idle, iowait, irq, softirq, steal
  for (int i = 0; i < 8; ++i)
    if (!(file >> value)) return 0;
  return value / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace rhc
