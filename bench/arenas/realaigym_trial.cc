#include "bench/arenas/realaigym_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rhc/format/csv_table.h"
#include "rhc/format/files.h"

namespace rhc::bench {

SwingUpRecord swing_up(const DoublePendulum& machine, const TorquePolicy& policy, int steps,
                       const TrialTroubles& troubles, std::uint64_t seed) {
  RandomStream randomness(seed, "trial");
  SwingUpRecord record;
  std::vector<Eigen::Vector4d> truth = {Eigen::Vector4d::Zero()};
  const int driven = machine.motor == Motor::shoulder ? 0 : 1;
  const auto late = static_cast<std::size_t>(troubles.delay / machine.substep);
  double commanded = 0, time = 0, change = 0;
  Eigen::Vector2d done = Eigen::Vector2d::Zero();
  for (int step = 0; step < steps; ++step) {
    double before = commanded;
    for (int i = 0; i < machine.substeps; ++i) {
      // As its simulator does: measure, ask the controller, what the motor makes of it, move.
      const std::size_t now = truth.size() - 1;
      Eigen::Vector4d measured = truth[now - std::min(now, late)];
      for (int k = 2; k < 4; ++k) measured[k] += troubles.speed_noise * randomness.normal();
      if (i == 0) {
        Vector state(5);
        state << measured, commanded;
        change = policy(machine.observe(state), step);
      }
      commanded = machine.torque(before, change, i);
      Eigen::Vector2d wanted = Eigen::Vector2d::Zero();
      wanted[driven] = commanded;
      record.time.push_back(time);
      record.motion.push_back(measured);
      record.torques.push_back(wanted);
      done += troubles.response * (wanted - done);
      done[driven] += troubles.torque_noise * randomness.normal();
      done[driven] = std::clamp(done[driven], -machine.most, machine.most);
      done[1 - driven] = 0;
      if (now < troubles.push.size()) done += troubles.push[now];
      truth.push_back(machine.substep_from(truth[now], done));
      time += machine.substep;
    }
  }
  return record;
}

std::vector<Eigen::Vector2d> random_knocks(double seconds, double every, RandomStream randomness) {
  constexpr int kEach = 3;
  constexpr double kApart = 1, kShort = 0.05, kLong = 0.1, kWeak = 0.5, kStrong = 5;
  const double room = (seconds - (2 * kEach + 1) * kApart) / (2 * kEach);
  std::vector<double> moments;
  for (int i = 0; i < 2 * kEach; ++i)
    moments.push_back((moments.empty() ? 0 : moments.back()) + kApart +
                      randomness.uniform(0, 1) * room);
  // Which joint each is for.
  std::vector<int> joints = {0, 0, 0, 1, 1, 1};
  for (std::size_t i = joints.size() - 1; i > 0; --i)
    std::swap(joints[i], joints[randomness.below(i + 1)]);
  std::vector<Eigen::Vector2d> push(static_cast<std::size_t>(std::lround(seconds / every)),
                                    Eigen::Vector2d::Zero());
  for (std::size_t k = 0; k < moments.size(); ++k) {
    const double width = randomness.uniform(kShort, kLong),
                 drawn = randomness.uniform(kWeak - kStrong, kStrong - kWeak),
                 strength = drawn + (drawn < 0 ? -kWeak : kWeak);
    for (std::size_t i = 0; i < push.size(); ++i) {
      const double off = (static_cast<double>(i) * every - moments[k]) / width;
      push[i][joints[k]] += strength * std::exp(-0.5 * off * off);
    }
  }
  return push;
}

void write_realaigym_csv(const SwingUpRecord& record, const std::string& file) {
  std::string text = "time,pos_meas1,pos_meas2,vel_meas1,vel_meas2,tau_con1,tau_con2\n";
  for (std::size_t i = 0; i < record.time.size(); ++i) {
    const Eigen::Vector4d& x = record.motion[i];
    text += fmt::format("{},{},{},{},{},{},{}\n", record.time[i], x[0], x[1], x[2], x[3],
                        record.torques[i][0], record.torques[i][1]);
  }
  write_output(file, text);
}

SwingUpRecord read_realaigym_csv(const std::string& file) {
  const Matrix rows = CsvTable(file).numbers(
      {"time", "pos_meas1", "pos_meas2", "vel_meas1", "vel_meas2", "tau_con1", "tau_con2"});
  SwingUpRecord record;
  for (Index i = 0; i < rows.rows(); ++i) {
    record.time.push_back(rows(i, 0));
    record.motion.emplace_back(rows(i, 1), rows(i, 2), rows(i, 3), rows(i, 4));
    record.torques.emplace_back(rows(i, 5), rows(i, 6));
  }
  return record;
}

}  // namespace rhc::bench
