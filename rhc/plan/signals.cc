#include "rhc/plan/signals.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rhc {

namespace {

// From [-1, 1] to the bounds of an action; an infinite bound is taken as 2 away from the other.
struct Range {
  double lower, upper;

  Range(const Box& bounds, Index i)
      : lower(std::isfinite(bounds.lower[i])   ? bounds.lower[i]
              : std::isfinite(bounds.upper[i]) ? bounds.upper[i] - 2
                                               : -1),
        upper(std::isfinite(bounds.upper[i]) ? bounds.upper[i] : lower + 2) {}

  double at(double unit) const {
    if (unit <= -1) return lower;
    if (unit >= 1) return upper;
    return std::clamp(0.5 * ((1 - unit) * lower + (1 + unit) * upper), lower, upper);
  }
};

}  // namespace

Matrix white_signal(const Box& bounds, Index horizon, RandomStream randomness) {
  Matrix actions(bounds.size(), horizon);
  for (Index i = 0; i < bounds.size(); ++i) {
    const Range range(bounds, i);
    for (Index t = 0; t < horizon; ++t) actions(i, t) = range.at(randomness.uniform(-1, 1));
  }
  return actions;
}

Matrix coloured_signal(const Box& bounds, Index horizon, RandomStream randomness) {
  Matrix actions(bounds.size(), horizon);
  const double longest = std::max(2.0, 0.25 * static_cast<double>(horizon));
  for (Index i = 0; i < bounds.size(); ++i) {
    const Range range(bounds, i);
    const double keep = std::exp(-1 / std::pow(longest, randomness.uniform()));
    double value = randomness.normal();
    for (Index t = 0; t < horizon; ++t) {
      actions(i, t) = range.at(value);
      value = keep * value + std::sqrt(1 - keep * keep) * randomness.normal();
    }
  }
  return actions;
}

Matrix held_signal(const Box& bounds, Index horizon, double hold, RandomStream randomness) {
  Matrix actions(bounds.size(), horizon);
  for (Index i = 0; i < bounds.size(); ++i) {
    const Range range(bounds, i);
    double value = randomness.uniform() < 0.5 ? -1 : 1, left = 0;
    for (Index t = 0; t < horizon; ++t) {
      if (left < 1) {
        left += std::max(1.0, hold * randomness.uniform(0.3, 1.7));
        value = -value;
      }
      actions(i, t) = range.at(value);
      left -= 1;
    }
  }
  return actions;
}

Matrix levels_signal(const Box& bounds, Index horizon, double hold, int levels,
                     RandomStream randomness, bool between) {
  Matrix actions(bounds.size(), horizon);
  for (Index i = 0; i < bounds.size(); ++i) {
    const Range range(bounds, i);
    double side = randomness.uniform() < 0.5 ? -1 : 1, value = 0, left = 0;
    std::vector<double> deck;
    for (Index t = 0; t < horizon; ++t) {
      if (left < 1) {
        // Dealt like cards: as many of the largest as of all others.
        if (deck.empty())
          for (int k = 1; k < levels; ++k)
            deck.insert(deck.end(), {1, static_cast<double>(k) / levels});
        const auto card = static_cast<std::ptrdiff_t>(randomness.below(deck.size()));
        side = -side;
        const double below = between ? randomness.uniform() / levels : 0;
        value = side * (deck[static_cast<std::size_t>(card)] - below);
        deck.erase(deck.begin() + card);
        left += std::max(1.0, hold * randomness.uniform(0.3, 1.7));
      }
      actions(i, t) = range.at(value);
      left -= 1;
    }
  }
  return actions;
}

}  // namespace rhc
