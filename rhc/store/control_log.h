// The log of a controller: control/NNNN.csv of a run, a row a step, written by a thread of its own,
// so that whoever controls neither waits nor touches a disk.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rhc/control/control_step.h"
#include "rhc/core/row_ring.h"
#include "rhc/format/json.h"
#include "rhc/system/spec.h"

namespace rhc {

// What went wrong at a step, beside what the controller says of it.
enum TickTrouble : unsigned {
  kNoMeasurement = 1,  // none came in time
  kNonsense = 2,       // what came was none
  kNotTaken = 4,       // the plant took no action
  kLeftLate = 8,       // the action left too late
  kBehind = 16,        // steps were missed altogether before this one
};

struct ControlTick {
  double time = 0;  // since the first step, when this one should have begun
  unsigned trouble = 0;
  double late = 0;     // seconds from then until the measurement was there
  double left = 0;     // and until the action had left
  double act = 0;      // seconds of this thread's processor, for the action
  double prepare = 0;  // and for the next plan
  Index missed = 0;    // steps before this one
};

// What a step suffered from, such as "no measurement+blind"; empty where all was well.
std::string trouble_in_words(unsigned trouble, MeasuredAs measured, Fall fall);

class ControlLog {
 public:
  // Makes the files of the next number in `control` of this run; those of a plant that is a program
  // belong there, too.
  ControlLog(const std::filesystem::path& run, const SystemSpec& spec);
  ~ControlLog();
  ControlLog(const ControlLog&) = delete;
  ControlLog& operator=(const ControlLog&) = delete;

  // Never waits; a row for which there is no room is counted. `planned`: the observation; empty
  // where no plan reaches that far.
  void add(const ControlTick& tick, const ControlStep& step,
           const Eigen::Ref<const Vector>& planned);

  // Writes what is left. From here on nothing is added.
  void finish();

  std::uint64_t lost() const { return ring_.lost(); }
  // Of what was written; after `finish`.
  std::uint32_t checksum() const { return checksum_; }
  // Why not all was written; empty where it was.
  const std::string& failure() const { return failure_; }
  // "RUN/control/0003" and this ending.
  std::filesystem::path file(const std::string& ending) const;
  int number() const { return number_; }

 private:
  void write_rows();
  void write(const std::string& text);

  const std::filesystem::path folder_;
  const Index observations_, actions_;
  RowRing ring_;
  int number_ = 0, file_ = -1;
  std::string failure_;
  std::uint32_t checksum_ = 0;
  std::atomic<bool> finished_ = false;
  std::thread writer_;
};

// The controller's runs that are kept in a run, in order; the summary is null where there is none,
// because it goes on or was killed, or where it cannot be read.
struct ControlRunFile {
  int number = 0;
  Json summary{};
  std::string damage{};
};
// `with_tables`: those that ended are compared with their summaries, which reads all of them.
std::vector<ControlRunFile> control_runs(const std::filesystem::path& run,
                                         bool with_tables = false);

// What is not as it was written, in words that name the files. Reads all tables.
std::vector<std::string> damaged_control_files(const std::filesystem::path& run);

// Adds to a summary what tells later whether it, or the table of the log, was changed.
void seal_control(Json& summary, const ControlLog& log);

}  // namespace rhc
