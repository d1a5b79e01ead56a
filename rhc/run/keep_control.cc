#include "rhc/run/keep_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/csv_table.h"
#include "rhc/format/files.h"

namespace rhc {

namespace {

constexpr char kFolderEnding[] = "-learning";
// The file that is written last, which says what pieces there are; and the delay of the plant.
constexpr char kWhole[] = "pieces", kDelay[] = "delay";
constexpr std::size_t kMostPieces = 10;
// A piece that tells less in a step would only make everything slower: nats.
constexpr double kLeastNats = 0.05;
// What ends a stretch at its row: the measurement is none, or is not believed.
constexpr std::array kNoValue = {"no measurement", "absurd"};
// The row's action was not what the machine carried out in that step.
constexpr std::array kOtherAction = {"not taken", "sent late"};
// Something happened between the row before and this one.
constexpr std::array kBreak = {"behind", "believed"};

bool any_of(const std::vector<std::string_view>& words, const auto& list) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  });
}

// Of a table by columns, whichever a newer version adds.
std::vector<std::size_t> places_of(const std::vector<std::string>& head,
                                   const std::vector<std::string>& names,
                                   const std::string& table) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto at = std::find(head.begin(), head.end(), name);
    if (at == head.end()) throw InputError(fmt::format("{}: there is no column '{}'", table, name));
    places.push_back(static_cast<std::size_t>(at - head.begin()));
  }
  return places;
}

std::optional<Vector> numbers_at(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& places) {
  Vector values(static_cast<Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto value = parse_number(cells[places[i]]);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values[static_cast<Index>(i)] = *value;
  }
  return values;
}

// Rows that follow each other, of which the last one's action may be another than was carried out.
class Gathered {
 public:
  Gathered(const SystemSpec& spec, int delay, std::vector<Trajectory>& pieces)
      : spec_(spec), delay_(delay), pieces_(pieces) {}

  void add(const Vector& seen, const Vector& action) {
    seen_.push_back(seen);
    actions_.push_back(action);
    if (static_cast<Index>(seen_.size()) <= spec_.horizon + delay_) return;
    // The next piece begins where this one ends.
    const std::vector<Vector> seen_then(seen_.end() - delay_ - 1, seen_.end());
    const std::vector<Vector> actions_then(actions_.end() - delay_ - 1, actions_.end());
    end();
    seen_ = seen_then;
    actions_ = actions_then;
  }
  void end() {
    const Index steps = static_cast<Index>(seen_.size()) - 1 - delay_;
    if (steps > spec_.history) {
      Trajectory piece{Matrix(spec_.outputs(), steps + 1),
                       Matrix(spec_.action_bounds.size(), steps)};
      for (Index t = 0; t <= steps; ++t) {
        piece.observations.col(t) = seen_[static_cast<std::size_t>(t + delay_)];
        if (t < steps) piece.actions.col(t) = actions_[static_cast<std::size_t>(t)];
      }
      pieces_.push_back(std::move(piece));
    }
    seen_.clear();
    actions_.clear();
  }

 private:
  const SystemSpec& spec_;
  const Index delay_;
  std::vector<Trajectory>& pieces_;
  std::vector<Vector> seen_, actions_;
};

// Nats by which the model is off, where no single slip decides.
double surprise(const DynamicsModel& model, const Trajectory& piece) {
  const Transitions data =
      transitions_of(piece, Box::unbounded(model.outputs()), model.shape.history);
  const Prediction expected = model.regression.predict(data.inputs);
  const Vector sensor = model.sensor_noise().cwiseAbs2();
  double nats = 0;
  for (Index t = 0; t < data.outputs.cols(); ++t)
    for (Index i = 0; i < data.outputs.rows(); ++i) {
      const double off = data.outputs(i, t) - expected.mean(i, t);
      const double variance = expected.epistemic(i, t) + expected.noise[i] + 2 * sensor[i];
      nats += 0.5 * std::log1p(std::max(0.0, off * off / std::max(variance, 1e-300) - 4));
    }
  return nats;
}

// As a logger would have written it: angles as angles.
std::string log_of(const Trajectory& piece, const SystemFile& system) {
  const SystemSpec& spec = system.system.spec();
  std::string text = "time [s]";
  for (const Measure& measure : system.measures) text += "," + with_unit(measure.quantity);
  for (const Quantity& action : spec.action) text += "," + with_unit(action);
  text += "\n";
  for (Index t = 0; t <= piece.steps(); ++t) {
    text += exact(std::round(1e9 * static_cast<double>(t) * spec.time_step) / 1e9);
    Index at = 0;
    for (const Measure& measure : system.measures) {
      const double first = piece.observations(at++, t);
      const double value =
          measure.angle ? std::atan2(piece.observations(at++, t), first) / measure.radians : first;
      text += "," + exact(value);
    }
    for (Index i = 0; i < piece.actions.rows(); ++i)
      text += t < piece.steps() ? "," + exact(piece.actions(i, t)) : ",";
    text += "\n";
  }
  return text;
}

std::filesystem::path piece_file(const std::filesystem::path& folder, std::size_t i) {
  return folder / fmt::format("{:02}.csv", i + 1);
}

// How many pieces there are to be told, and the steps of the whole log.
struct Cut {
  std::size_t pieces;
  Index measured;
};

Cut cut(const LearningMark& mark, const Laboratory& lab) {
  const std::filesystem::path whole = mark.folder() / kWhole;
  if (std::filesystem::exists(whole)) {
    const std::vector<std::string> cells = cells_of(read_text(whole));
    const auto pieces = parse_integer(cells.front()), measured = parse_integer(cells.back());
    if (cells.size() == 2 && pieces && measured && *pieces >= 0)
      return {static_cast<std::size_t>(*pieces), static_cast<Index>(*measured)};
  }
  const std::filesystem::path table =
      mark.run() / "control" / fmt::format("{:04}.csv", mark.number());
  Cut cut{0, 0};
  if (std::filesystem::exists(table)) {
    const SystemSpec& spec = lab.system().system.spec();
    const std::vector<Trajectory> pieces =
        pieces_of(read_text(table), table.string(), spec, mark.delay());
    for (const Trajectory& piece : pieces) cut.measured += piece.steps();
    if (const DynamicsModel* model = lab.campaign().model())
      for (const std::size_t i : most_telling(pieces, *model, kMostPieces))
        write_atomically(piece_file(mark.folder(), cut.pieces++), log_of(pieces[i], lab.system()));
  }
  write_atomically(whole, fmt::format("{},{}", cut.pieces, cut.measured));
  return cut;
}

std::string range_in_words(const std::vector<int>& numbers) {
  if (numbers.size() == 1) return fmt::format("experiment {}", numbers[0]);
  return fmt::format("experiments {} to {}", numbers.front(), numbers.back());
}

}  // namespace

std::filesystem::path LearningMark::folder() const {
  return run_ / "control" / fmt::format("{:04}{}", number_, kFolderEnding);
}

LearningMark::LearningMark(const std::filesystem::path& run, int number, int delay)
    : run_(run), number_(number), lock_([&] {
        make_directories(folder());
        return Lock(folder());
      }()) {
  if (delay > 0) write_atomically(folder() / kDelay, std::to_string(delay));
}

LearningMark::LearningMark(const std::filesystem::path& run, int number, Made)
    : run_(run), number_(number), lock_(folder()) {}

int LearningMark::delay() const {
  if (!std::filesystem::exists(folder() / kDelay)) return 0;
  return static_cast<int>(parse_integer(read_text(folder() / kDelay)).value_or(0));
}

LearningMark LearningMark::of_another(const std::filesystem::path& run, int number) {
  return {run, number, Made{}};
}

std::vector<int> controls_to_keep(const std::filesystem::path& run) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run / "control", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kFolderEnding) || lock_owner(entry.path())) continue;
    const auto number = parse_integer(name.substr(0, name.size() - (sizeof kFolderEnding - 1)));
    if (number && *number > 0) numbers.push_back(static_cast<int>(*number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<Trajectory> pieces_of(std::string_view table, const std::string& name,
                                  const SystemSpec& spec, int delay) {
  std::vector<Trajectory> pieces;
  std::vector<std::size_t> seen_at, action_at, step_at, trouble_at;
  std::size_t columns = 0;
  Gathered stretch(spec, delay, pieces);
  std::optional<double> step_before;
  // A line without an end was cut off.
  for (std::size_t end = table.find('\n'); end != std::string_view::npos; end = table.find('\n')) {
    const std::vector<std::string> cells = cells_of(table.substr(0, end));
    table.remove_prefix(end + 1);
    if (columns == 0) {
      columns = cells.size();
      seen_at = places_of(cells, names_of(spec.observation), name);
      action_at = places_of(cells, names_of(spec.action), name);
      step_at = places_of(cells, {"step"}, name);
      trouble_at = places_of(cells, {"trouble"}, name);
      continue;
    }
    const bool whole = cells.size() == columns;
    const auto step = whole ? numbers_at(cells, step_at) : std::nullopt;
    const auto seen = whole ? numbers_at(cells, seen_at) : std::nullopt;
    const auto action = whole ? numbers_at(cells, action_at) : std::nullopt;
    const std::vector<std::string_view> trouble =
        whole ? split(cells[trouble_at[0]], '+') : std::vector<std::string_view>{};
    if (!step || !seen || !action || any_of(trouble, kNoValue)) {
      stretch.end();
      step_before.reset();
      continue;
    }
    if (!step_before || (*step)[0] != *step_before + 1 || any_of(trouble, kBreak)) stretch.end();
    stretch.add(*seen, *action);
    step_before = (*step)[0];
    if (!any_of(trouble, kOtherAction)) continue;
    stretch.end();
    step_before.reset();
  }
  stretch.end();
  return pieces;
}

std::vector<std::size_t> most_telling(const std::vector<Trajectory>& pieces,
                                      const DynamicsModel& model, std::size_t most) {
  std::vector<double> off, bound(pieces.size(), kInfinity);
  for (const Trajectory& piece : pieces) off.push_back(surprise(model, piece));
  std::vector<std::size_t> chosen;
  std::vector<Trajectory> known;
  // What a piece informs of only falls with what is known already, so an old value is a bound.
  while (chosen.size() < std::min(most, pieces.size())) {
    const DynamicsModel now = known.empty() ? model : model.imagining(known);
    std::vector<bool> fresh(pieces.size(), false);
    std::size_t best = 0;
    while (true) {
      best = static_cast<std::size_t>(std::max_element(bound.begin(), bound.end()) - bound.begin());
      if (fresh[best]) break;
      const Trajectory& piece = pieces[best];
      bound[best] = off[best] + now.information(piece.observations, piece.actions);
      fresh[best] = true;
    }
    if (!(bound[best] >= kLeastNats * static_cast<double>(pieces[best].steps()))) break;
    chosen.push_back(best);
    known.push_back(pieces[best]);
    bound[best] = -kInfinity;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

KeptControl keep_control(const LearningMark& mark, int threads) {
  Laboratory lab(mark.run(), threads);
  KeptControl kept{.number = mark.number(), .remarks = lab.remarks()};
  const Cut found = cut(mark, lab);
  kept.measured = found.measured;
  for (std::size_t i = 0; i < found.pieces; ++i) {
    const std::filesystem::path file = piece_file(mark.folder(), i);
    const std::string text = read_text(file);
    // But for the head and the last row.
    kept.steps += std::count(text.begin(), text.end(), '\n') - 2;
    if (const auto experiment = lab.told_as(text)) {
      kept.experiments.push_back(*experiment);
      continue;
    }
    Told told = lab.tell(file, {.import = true});
    kept.experiments.push_back(told.experiment);
    if (i + 1 == found.pieces)
      for (std::string& remark : told.remarks) kept.remarks.push_back(std::move(remark));
  }
  std::filesystem::remove_all(mark.folder());
  return kept;
}

std::string in_words(const KeptControl& kept) {
  if (kept.experiments.empty())
    return fmt::format(
        "Nothing of it was kept: {} steps were measured in a row, and they tell the model next to "
        "nothing",
        kept.measured);
  return fmt::format("What it learned is kept: {} of the run, the {} of {} steps that tell most",
                     range_in_words(kept.experiments), kept.steps, kept.measured);
}

}  // namespace rhc
