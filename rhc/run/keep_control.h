// What a controller learned while it ran, as experiments of its laboratory: the pieces of its log
// that tell most. Nothing of it is lost, whenever the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/run/laboratory.h"
#include "rhc/store/lock.h"

namespace rhc {

// The mark that a controller learns, control/NNNN-learning in its run, held by its process: made
// before anything moves. One without an owner was left by a process that is gone.
class LearningMark {
 public:
  // `delay`: steps after which an action is seen to act.
  LearningMark(const std::filesystem::path& run, int number, int delay);
  // That of another process, which is gone; BusyError where it is not.
  static LearningMark of_another(const std::filesystem::path& run, int number);

  const std::filesystem::path& run() const { return run_; }
  int number() const { return number_; }
  int delay() const;
  std::filesystem::path folder() const;

 private:
  struct Made {};
  LearningMark(const std::filesystem::path& run, int number, Made);

  std::filesystem::path run_;
  int number_;
  Lock lock_;
};

// The numbers of marks that no process holds.
std::vector<int> controls_to_keep(const std::filesystem::path& run);

struct KeptControl {
  int number = 0;
  std::vector<int> experiments{};  // that it became
  Index steps = 0, measured = 0;   // of these, and all that followed each other in the log
  std::vector<std::string> remarks{};
};

// Tells the laboratory, and takes the mark away. Where it is ended on the way, it goes on with the
// same pieces when it is called again.
KeptControl keep_control(const LearningMark& mark, int threads);

// In words, for a terminal.
std::string in_words(const KeptControl& kept);

// A stretch of a log in which nothing was missing, and no more steps than an experiment has.
// `table`: control/NNNN.csv, whose last line may be cut off. With a delay, each action stands where
// it acted.
std::vector<Trajectory> pieces_of(std::string_view table, const std::string& name,
                                  const SystemSpec& spec, int delay = 0);

// The places of those that tell the model most, in order: by what they inform it of, and by how far
// it is off.
std::vector<std::size_t> most_telling(const std::vector<Trajectory>& pieces,
                                      const DynamicsModel& model, std::size_t most);

}  // namespace rhc
