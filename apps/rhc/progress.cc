#include "apps/rhc/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "rhc/core/error.h"
#include "rhc/explore/trouble.h"

namespace rhc::app {

namespace {

constexpr int kWide = 130;

struct Column {
  const char* title;
  int width;
  int rank;  // the highest go first where there is no room
  std::string (*cell)(const MetricsRow&);
};

// A number, or a dash where there is none.
std::string cell(const char* format, const std::optional<double>& value) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::optional<double> score_of(const MetricsRow& row, double Scores::*member) {
  return row.scores ? std::optional((*row.scores).*member) : std::nullopt;
}

const std::vector<Column>& columns() {
  using Row = const MetricsRow&;
  static const std::vector<Column> all = {
      {"episode", 7, 0, [](Row r) { return std::to_string(r.episode); }},
      {"steps", 6, 2, [](Row r) { return std::to_string(r.steps); }},
      {"task cost", 9, 0, [](Row r) { return cell("{:.2f}", r.task_cost); }},
      {"closed", 9, 7, [](Row r) { return cell("{:.2f}", r.task_cost_closed); }},
      {"planned", 9, 5, [](Row r) { return cell("{:.1f}", promised(r)); }},
      {"gained", 9, 5, [](Row r) { return cell("{:.1f}", r.information_gained); }},
      {"rmse", 10, 0, [](Row r) { return cell("{:.4g}", r.rmse); }},
      {"log-lik", 10, 0,
       [](Row r) { return cell("{:.5g}", score_of(r, &Scores::log_likelihood)); }},
      {"cover95", 9, 1, [](Row r) { return cell("{:.3f}", score_of(r, &Scores::coverage95)); }},
      {"evidence", 10, 6, [](Row r) { return cell("{:.5g}", r.evidence); }},
      {"plan s", 7, 3, [](Row r) { return cell("{:.2f}", r.plan_seconds); }},
      {"fit s", 7, 3, [](Row r) { return cell("{:.2f}", r.fit_seconds); }},
      {"eval s", 7, 4, [](Row r) { return cell("{:.2f}", r.evaluate_seconds); }},
      {"note", 7, 0, [](Row r) { return std::string(trouble_in_short(r.trouble.value_or(""))); }},
  };
  return all;
}

// The columns that fit, each with a space before it but the first.
std::vector<Column> columns_within(int width) {
  std::vector<Column> shown = columns();
  const auto total = [&] {
    int sum = -1;
    for (const Column& column : shown) sum += column.width + 1;
    return sum;
  };
  while (total() > width) {
    const auto least = std::max_element(shown.begin(), shown.end(),
                                        [](auto& a, auto& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    const int rank = least->rank;
    std::erase_if(shown, [&](const Column& c) { return c.rank == rank; });
  }
  return shown;
}

std::string joined(const std::vector<Column>& shown, auto&& text) {
  std::string line;
  for (const Column& column : shown)
    line += fmt::format("{}{:>{}}", line.empty() ? "" : " ", text(column), column.width);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string header(int width) {
  return joined(columns_within(width), [](const Column& c) { return std::string(c.title); });
}

std::string row_line(const MetricsRow& row, int width) {
  return joined(columns_within(width), [&](const Column& c) { return c.cell(row); });
}

// A row that is no episode: only some of its cells mean something.
std::string named_line(const char* name, const MetricsRow& row, const std::string& remark,
                       int width) {
  const std::string line = joined(columns_within(width), [&](const Column& c) {
    const std::string_view title = c.title;
    if (title == "episode") return std::string(name);
    if (title == "steps" || title.ends_with(" s")) return std::string("-");
    return c.cell(row);
  });
  // What follows the last number is only dashes.
  const std::string numbers = line.substr(0, line.find_last_not_of("- ") + 1);
  const std::string remarked = numbers + "   (" + remark + ")";
  return static_cast<int>(remarked.size()) <= width ? remarked : numbers;
}

std::string best_line(const Scores& scores, int width) {
  MetricsRow row;
  row.rmse = scores.rmse;
  row.scores = scores;
  return named_line("best", row, "a model given uniform data", width);
}

std::optional<std::string> limit_line(const MetricsRow& first, int width) {
  if (first.episode != 0 || !first.task_cost_limit) return std::nullopt;
  MetricsRow row;
  row.task_cost = first.task_cost_limit;
  row.task_cost_closed = first.task_cost_closed_limit;
  return named_line("limit", row, "the least a perfect model could reach", width);
}

// A terminal may be closed at any moment, which ends a run in order.
void put_text(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size() && errno != EIO)
    throw IoError(fmt::format("cannot print: {}", std::strerror(errno)));
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return !no_color || !*no_color;
}

}  // namespace

std::string duration(double seconds) {
  const auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

std::string bar_line(double share, std::string words) {
  // The last columns stay free, for a terminal writes ^C there.
  const int room = std::max(0, output_width() - 3), bar = std::min(24, room);
  const int filled = static_cast<int>(bar * std::clamp(share, 0.0, 1.0));
  const auto blocks = [](const char* block, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += block;
    return text;
  };
  words.insert(0, " ");
  words.resize(std::min(words.size(), static_cast<std::size_t>(room - bar)));
  return fmt::format("{}{}{}{}{}", colour_wanted() ? "\033[32m" : "", blocks("█", filled),
                     blocks("░", bar - filled), colour_wanted() ? "\033[0m" : "", words);
}

int output_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kWide;
}

ProgressStyle progress_style(bool quiet, bool json) {
  if (json) return ProgressStyle::json;
  if (quiet) return ProgressStyle::quiet;
  const char* terminal = std::getenv("TERM");
  const bool dumb = !terminal || std::string_view(terminal) == "dumb";
  return ::isatty(STDOUT_FILENO) && !dumb ? ProgressStyle::terminal : ProgressStyle::lines;
}

std::string metrics_table(const std::vector<MetricsRow>& rows,
                          const std::optional<Scores>& best_achievable, int width) {
  std::string text = header(width) + "\n";
  if (best_achievable) text += best_line(*best_achievable, width) + "\n";
  for (const MetricsRow& row : rows) {
    if (const auto limit = limit_line(row, width)) text += *limit + "\n";
    text += row_line(row, width) + "\n";
  }
  return text;
}

Progress::Progress(ProgressStyle style, const std::string& doing, const std::filesystem::path& run,
                   const Config& config, int episodes_done)
    : style_(style), width_(output_width()), run_(run.string()), episodes_(config.episodes) {
  colour_ = style == ProgressStyle::terminal && colour_wanted();
  if (style_ == ProgressStyle::json) {
    const Json begin = {{"event", "begin"},
                        {"run", run_},
                        {"system", config.system},
                        {"method", config.method},
                        {"seed", config.seed},
                        {"episodes", config.episodes},
                        {"episodes_done", episodes_done}};
    print_line(dump_any(begin));
  } else if (style_ != ProgressStyle::quiet) {
    print_line(fmt::format("{} {} by method {}, {} episodes, seed {}", doing, config.system,
                           config.method, config.episodes, config.seed));
    print_line(colour_ ? "\033[1m" + header(width_) + "\033[0m" : header(width_));
  }
}

void Progress::attach(RunEvents& events) {
  events.on_remark = [this](const std::string& what) { remark(what); };
  if (style_ == ProgressStyle::quiet) return;
  events.on_best_achievable = [this](const Scores& scores) { best_achievable(scores); };
  events.on_row = [this](const MetricsRow& metrics) { row(metrics); };
  events.on_phase = [this](int episode, Phase phase) { enter(episode, name(phase)); };
}

void Progress::best_achievable(const Scores& scores) {
  if (style_ == ProgressStyle::json) {
    Json json = {{"event", "best_achievable"}};
    json.update(scores_json(scores));
    print_line(json.dump());
  } else {
    print_line(best_line(scores, width_));
  }
}

void Progress::row(const MetricsRow& row) {
  done_ = row.episode;
  if (row.episode > 0) last_ = row;
  left_out_ += row.left_out;
  if (style_ == ProgressStyle::json) {
    Json json = {{"event", "row"}};
    json.update(metrics_json(row));
    print_line(json.dump());
    return;
  }
  if (const auto limit = limit_line(row, width_)) print_line(*limit);
  print_line(row_line(row, width_));
}

void Progress::enter(int episode, const char* phase) {
  episode_ = episode;
  phase_ = phase;
  if (episode > 0 && !done_at_start_) {
    done_at_start_ = done_;
    start_ = std::chrono::steady_clock::now();
  }
  draw_bar();
}

void Progress::remark(const std::string& what) {
  if (style_ == ProgressStyle::json)
    print_line(dump_any({{"event", "remark"}, {"text", what}}));
  else if (style_ == ProgressStyle::quiet)
    fmt::print(stderr, "rhc: {}\n", what);
  else
    print_line(what);
}

void Progress::print_line(const std::string& line) {
  erase_bar();
  put_text(line + "\n");
  draw_bar();
  std::fflush(stdout);
}

std::string Progress::time_left() const {
  if (!done_at_start_ || done_ == *done_at_start_) return "";
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return duration(elapsed / (done_ - *done_at_start_) * (episodes_ - done_)) + " left";
}

void Progress::draw_bar() {
  if (style_ != ProgressStyle::terminal || phase_.empty()) return;
  std::string rest = fmt::format("{}/{}", done_, episodes_);
  if (episode_ > done_) rest += fmt::format("  {} {}", phase_, episode_);
  if (episode_ == 0) rest += "  " + phase_;
  if (last_ && last_->task_cost) rest += fmt::format("  cost {:.6g}", *last_->task_cost);
  if (last_ && last_->scores)
    rest += fmt::format("  log-lik {:.4g}", last_->scores->log_likelihood);
  if (const std::string left = time_left(); !left.empty()) rest += "  " + left;

  erase_bar();
  const int of = std::max(episodes_, 1);
  put_text(bar_line(episodes_ > 0 ? static_cast<double>(done_) / of : 1.0, rest));
  std::fflush(stdout);
  bar_shown_ = true;
}

void Progress::erase_bar() {
  if (bar_shown_) put_text("\r\033[K");
  bar_shown_ = false;
}

void Progress::end(const std::string& status, const std::optional<std::filesystem::path>& report) {
  erase_bar();
  phase_.clear();
  if (style_ == ProgressStyle::json) {
    print_line(dump_any({{"event", "end"},
                         {"status", status},
                         {"run", run_},
                         {"report", report ? Json(report->string()) : Json()}}));
  } else if (style_ != ProgressStyle::quiet && status == "finished") {
    if (left_out_ > 0)
      print_line(fmt::format("left out: {} steps, which led outside the limits", left_out_));
    print_line("run directory: " + run_);
    if (report) print_line("report: " + report->string());
  }
  std::fflush(stdout);
}

}  // namespace rhc::app
