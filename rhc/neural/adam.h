// Adam (Kingma and Ba 2015) on a network's parameters, all in one vector.
#pragma once

#include <string>

#include "rhc/neural/network.h"

namespace rhc {

struct AdamSettings {
  double rate = 3e-4;
  double clip = 0;   // largest entry of a gradient that is believed; 0: any
  double decay = 0;  // of the parameters, in a step of rate 1
};

class Adam {
 public:
  Adam(const Network& network, AdamSettings settings);

  void set_rate(double rate) { settings_.rate = rate; }

  // One step down the loss, which was computed with the network's parameters.
  void descend(const Tensor& loss, Network& network);

  void save(NamedValues& archive, const std::string& name) const;
  void restore(const NamedValues& archive, const std::string& name);

 private:
  AdamSettings settings_;
  Tensor mean_, square_;  // of the gradients, decaying
  Index steps_ = 0;
};

// The same for one number.
struct ScalarAdam {
  double rate = 3e-4;
  double mean = 0, square = 0;
  Index steps = 0;

  void descend(double gradient, double& value);

  void save(NamedValues& archive, const std::string& name) const;
  void restore(const NamedValues& archive, const std::string& name);
};

}  // namespace rhc
