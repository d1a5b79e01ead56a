#include "rhc/study/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/text.h"
#include "rhc/describe/settings.h"
#include "rhc/format/files.h"
#include "rhc/store/export.h"

namespace rhc {

namespace {

// Of the settings that are not the same in all runs, in the order of the table of settings.
std::vector<const Setting*> varied_settings(const std::vector<RunSummary>& runs) {
  std::vector<const Setting*> varied;
  for (const Setting& setting : settings()) {
    if (setting.key == "system" || setting.key == "method" || setting.key == "seed") continue;
    const std::string first = runs.empty() ? "" : setting.show(runs[0].config);
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const RunSummary& run) { return setting.show(run.config) != first; }))
      varied.push_back(&setting);
  }
  return varied;
}

std::string quoted_text(const std::string& text) {
  return text.find_first_of(",\"") == std::string::npos ? text : "\"" + text + "\"";
}

std::string finite_number(double value) { return std::isfinite(value) ? exact(value) : ""; }

std::string lines_of(const RunSummary& run, const std::vector<const Setting*>& varied) {
  std::string head = fmt::format("{},{},{},{},{},{}", run.path.filename().string(),
                                 run.manifest.rhc, run.status() == "finished" ? "yes" : "no",
                                 run.config.system, run.config.method, run.config.seed);
  for (const Setting* setting : varied) head += "," + quoted_text(plain(*setting, run.config));
  std::string lines;
  for (const MetricsRow& row : run.rows) {
    lines += head;
    const Json metrics = metrics_cells(row);
    for (const auto& [key, value] : metrics.items()) lines += "," + csv_cell(value);
    lines += "\n";
  }
  return lines;
}

}  // namespace

Collected collect(const Sweep& sweep, int threads) {
  const std::vector<PlannedRun>& planned = sweep.plan.runs;
  std::vector<std::optional<RunSummary>> found(planned.size());
  std::vector<std::string> problems(planned.size());
  parallel_for(static_cast<int>(planned.size()), threads, [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    const std::filesystem::path path = sweep.run_path(planned[i]);
    if (find_runs(path).empty()) return;
    try {
      RunSummary run = read_summary(path, &planned[i].config);
      const std::string other = difference(run.config, planned[i].config);
      if (!other.empty())
        throw InputError(fmt::format("'{}' holds another run: {}", path.string(), other));
      if (!run.has_all_rows()) throw InputError(run.remark);
      found[i] = std::move(run);
    } catch (const InputError& bad) {
      problems[i] = bad.what();
    }
  });
  Collected result;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (found[i]) result.runs.push_back(std::move(*found[i]));
    if (!problems[i].empty()) result.left_out.push_back("left out: " + problems[i]);
    found[i].reset();
  }
  return result;
}

void write_results(const std::vector<RunSummary>& runs, const std::filesystem::path& file,
                   int threads) {
  const std::vector<const Setting*> varied = varied_settings(runs);
  std::string header = "run,rhc,finished,system,method,seed";
  for (const Setting* setting : varied) header += "," + setting->key;
  const Json metrics = metrics_cells({});
  for (const auto& [key, value] : metrics.items()) header += "," + key;

  Output out(file);
  out.write(header + "\n");
  // A batch at a time: the text of ten thousand runs is larger than all else.
  constexpr std::size_t kBatch = 256;
  for (std::size_t begin = 0; begin < runs.size(); begin += kBatch) {
    std::vector<std::string> texts(std::min(kBatch, runs.size() - begin));
    parallel_for(static_cast<int>(texts.size()), threads, [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      texts[at] = lines_of(runs[begin + at], varied);
    });
    for (const std::string& text : texts) out.write(text);
  }
  out.finish();
}

std::string curves_csv(const std::vector<Group>& groups) {
  std::string text = "system,method,group,metric,episode,runs,median,decile1,decile9\n";
  for (const Group& group : groups)
    for (const auto& [name, metric] : learning_metrics()) {
      const Curve curve = curve_of(group, metric);
      for (std::size_t i = 0; i < curve.episode.size(); ++i)
        text += fmt::format("{},{},{},{},{},{},{},{},{}\n", group.system, group.method,
                            quoted_text(group.label), name, curve.episode[i], curve.count[i],
                            finite_number(curve.median[i]), finite_number(curve.decile1[i]),
                            finite_number(curve.decile9[i]));
    }
  return text;
}

}  // namespace rhc
