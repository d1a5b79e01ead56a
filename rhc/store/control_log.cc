#include "rhc/store/control_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/files.h"
#include "rhc/format/json_checksum.h"

namespace rhc {

namespace {

constexpr std::size_t kRowsInMemory = 8192;
constexpr auto kWriterLooks = std::chrono::milliseconds(20);

// The numbers of a row before those of observations and actions.
enum Column {
  kStep,
  kTime,
  kTrouble,
  kMeasuredKind,
  kFall,
  kSource,
  kLate,
  kLeft,
  kAct,
  kPrepare,
  kMissed,
  kValues
};

std::size_t log_columns(const SystemSpec& spec) {
  return static_cast<std::size_t>(kValues) + 3 * spec.observation.size() + spec.action.size();
}

std::string table_head(const SystemSpec& spec) {
  std::string text = "step,time";
  const std::vector<std::string> names = names_of(spec.observation);
  for (const char* ending : {"", "_estimated", "_planned"})
    for (const std::string& name : names) text += "," + name + ending;
  for (const std::string& name : names_of(spec.action)) text += "," + name;
  return text + ",source,trouble,late_ms,sent_ms,act_ms,prepare_ms,missed\n";
}

// What is no number is left blank.
void append_cell(std::string& text, double value) {
  text += ',';
  if (std::isfinite(value)) text += exact(value);
}

std::string row_text(std::span<const double> row, std::size_t values) {
  std::string text = fmt::format("{},{}", row[kStep], exact(row[kTime]));
  for (const double value : row.subspan(kValues, values)) append_cell(text, value);
  const auto source = static_cast<ActionSource>(static_cast<int>(row[kSource]));
  text += fmt::format(
      ",{},{},{:.3f},{:.3f},{:.3f},{:.3f},{}\n", name(source),
      trouble_in_words(static_cast<unsigned>(row[kTrouble]),
                       static_cast<MeasuredAs>(static_cast<int>(row[kMeasuredKind])),
                       static_cast<Fall>(static_cast<int>(row[kFall]))),
      1e3 * row[kLate], 1e3 * row[kLeft], 1e3 * row[kAct], 1e3 * row[kPrepare], row[kMissed]);
  return text;
}

// The number of a file's name, such as 3 of "0003.csv"; 0 where it has none.
int number_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const auto number = parse_integer(name.substr(0, name.find('.')));
  return number && *number > 0 && *number < 1000000000 ? static_cast<int>(*number) : 0;
}

int newest_number(const std::filesystem::path& folder) {
  int newest = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    newest = std::max(newest, number_of(entry.path()));
  return newest;
}

}  // namespace

std::string trouble_in_words(unsigned trouble, MeasuredAs measured, Fall fall) {
  std::string words;
  const auto add = [&](std::string_view word) {
    if (!words.empty()) words += '+';
    words += word;
  };
  if ((trouble & kBehind) != 0) add("behind");
  if ((trouble & kNoMeasurement) != 0) add("no measurement");
  if ((trouble & kNonsense) != 0) add("nonsense");
  if (measured == MeasuredAs::absurd || measured == MeasuredAs::believed) add(name(measured));
  if (fall == Fall::late)
    add("plan late");
  else if (fall != Fall::none)
    add(name(fall));
  if ((trouble & kNotTaken) != 0) add("not taken");
  if ((trouble & kLeftLate) != 0) add("sent late");
  return words;
}

ControlLog::ControlLog(const std::filesystem::path& run, const SystemSpec& spec)
    : folder_(run / "control"),
      observations_(spec.outputs()),
      actions_(static_cast<Index>(spec.action.size())),
      ring_(kRowsInMemory, log_columns(spec)) {
  make_directories(folder_);
  number_ = newest_number(folder_);
  do {
    ++number_;
    file_ = ::open(file(".csv").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0)
    throw IoError(
        fmt::format("cannot write '{}': {}", file(".csv").string(), std::strerror(errno)));
  write(table_head(spec));
  // Ctrl-C is for the thread that controls.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  writer_ = std::thread([this] {
    while (!finished_.load(std::memory_order_acquire)) {
      write_rows();
      std::this_thread::sleep_for(kWriterLooks);
    }
    write_rows();
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ControlLog::~ControlLog() { finish(); }

std::filesystem::path ControlLog::file(const std::string& ending) const {
  return folder_ / fmt::format("{:04}{}", number_, ending);
}

void ControlLog::add(const ControlTick& tick, const ControlStep& step,
                     const Eigen::Ref<const Vector>& planned) {
  const std::span<double> row = ring_.next();
  if (row.empty()) return;
  row[kStep] = static_cast<double>(step.step);
  row[kTime] = tick.time;
  row[kTrouble] = tick.trouble;
  row[kMeasuredKind] = static_cast<double>(step.measured);
  row[kFall] = static_cast<double>(step.fall);
  row[kSource] = static_cast<double>(step.source);
  row[kLate] = tick.late;
  row[kLeft] = tick.left;
  row[kAct] = tick.act;
  row[kPrepare] = tick.prepare;
  row[kMissed] = static_cast<double>(tick.missed);
  double* at = row.data() + kValues;
  const auto put = [&](const auto& values, Index size) {
    for (Index i = 0; i < size; ++i)
      *at++ = i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN();
  };
  put(step.measurement, observations_);
  put(step.estimate, observations_);
  put(planned, observations_);
  put(step.action, actions_);
  ring_.push();
}

void ControlLog::finish() {
  if (!writer_.joinable()) return;
  finished_.store(true, std::memory_order_release);
  writer_.join();
  if (::fsync(file_) != 0 && failure_.empty()) failure_ = std::strerror(errno);
  ::close(file_);
}

void ControlLog::write_rows() {
  std::string text;
  const auto values = static_cast<std::size_t>(3 * observations_ + actions_);
  for (auto row = ring_.front(); !row.empty(); row = ring_.front()) {
    text += row_text(row, values);
    ring_.pop();
    if (text.size() < std::size_t{1} << 16) continue;
    write(text);
    text.clear();
  }
  write(text);
}

// A log that cannot be written stops no machine.
void ControlLog::write(const std::string& text) {
  std::string_view left = text;
  while (!left.empty() && failure_.empty()) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written > 0) {
      const auto size = static_cast<std::size_t>(written);
      checksum_ = crc32(left.substr(0, size), checksum_);
      left.remove_prefix(size);
    } else if (errno != EINTR)
      failure_ = std::strerror(errno);
  }
}

void seal_control(Json& summary, const ControlLog& log) {
  summary["table"] = checksum_text(log.checksum());
  summary.erase("checksum");
  seal(summary);
}

std::vector<std::string> damaged_control_files(const std::filesystem::path& run) {
  std::vector<std::string> damaged;
  for (ControlRunFile& file : control_runs(run, true))
    if (!file.damage.empty()) damaged.push_back(std::move(file.damage));
  return damaged;
}

std::vector<ControlRunFile> control_runs(const std::filesystem::path& run, bool with_tables) {
  std::map<int, ControlRunFile> runs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run / "control", error)) {
    const int number = number_of(entry.path());
    const std::string ending = entry.path().extension().string();
    if (number == 0 || (ending != ".csv" && ending != ".json")) continue;
    ControlRunFile& file = runs[number];
    file.number = number;
    if (ending != ".json") continue;
    try {
      const JsonReader reader(entry.path());
      reader.check_format("rhc-control", "summary of a controller's run", 1);
      check_seal(reader);
      file.summary = reader.all();
      std::filesystem::path table = entry.path();
      table.replace_extension(".csv");
      // Summaries of earlier versions do not know their tables; and who removed one wants it gone.
      if (with_tables && reader.has("table") && std::filesystem::exists(table) &&
          crc32(read_text(table, kLargestMatrixFile)) != checksum_of(reader, reader.at("table")))
        file.damage = table.string() + ": the file was changed after it was written";
    } catch (const InputError& damage) {
      file.damage = damage.what();
    }
  }
  std::vector<ControlRunFile> all;
  for (auto& [number, file] : runs) all.push_back(std::move(file));
  return all;
}

}  // namespace rhc
