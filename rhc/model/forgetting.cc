#include "rhc/model/forgetting.h"

#include <cmath>

namespace rhc {

Transitions remembered(const std::vector<Transitions>& episodes, double time_constant) {
  Transitions all = concatenate(episodes);
  if (time_constant <= 0) return all;
  all.weights.resize(all.count());
  Index end = all.count();
  int age = 0;
  for (auto episode = episodes.rbegin(); episode != episodes.rend(); ++episode) {
    if (episode->count() == 0) continue;
    end -= episode->count();
    all.weights.segment(end, episode->count()).setConstant(std::exp(-age++ / time_constant));
  }
  return all;
}

void weigh(const Vector& root_weights, Eigen::Ref<Matrix> columns) {
  if (root_weights.size() > 0) columns *= root_weights.asDiagonal();
}

}  // namespace rhc
