// Several fully connected networks of one shape, evaluated together.
#pragma once

#include <string>
#include <vector>

#include "rhc/neural/tensors.h"

namespace rhc {

enum class Activation { relu, swish, sine };

struct NetworkShape {
  Index members = 1;
  std::vector<Index> widths;  // of the input, of every hidden layer, of the output
  Activation activation = Activation::relu;

  std::string text() const;  // such as "2 x 4-64-64-1 relu"
};

NetworkShape network_shape(Index members, Index inputs, const std::vector<Index>& hidden,
                           Index outputs, Activation activation);

// Keeps the shape alone; `check_shape` throws InputError that names both where the archive's
// network has another.
void put_shape(NamedValues& archive, const std::string& name, const NetworkShape& shape);
void check_shape(const NamedValues& archive, const std::string& name, const NetworkShape& shape);

class Network {
 public:
  // Weights and biases uniform within 1 / sqrt(inputs of their layer).
  Network(NetworkShape shape, RandomStream& randomness, at::Device device);

  // members x batch x input to members x batch x output; for one member without the first.
  Tensor operator()(const Tensor& inputs) const;

  const NetworkShape& shape() const { return shape_; }

  // The same numbers twice: in one vector, and as the weights and biases that gradients know.
  Tensor& parameters() { return parameters_; }
  const Tensor& parameters() const { return parameters_; }
  const std::vector<Tensor>& parts() const { return parts_; }

  // Of a loss that was computed with these parameters, in their order.
  Tensor gradient(const Tensor& loss) const;

  bool finite() const;

  // Goes this share of the way to another network's parameters.
  void approach(const Network& other, double share);

  void save(NamedValues& archive, const std::string& name) const;
  void restore(const NamedValues& archive, const std::string& name);

 private:
  NetworkShape shape_;
  Tensor parameters_;
  std::vector<Tensor> parts_;  // weight and bias of each layer, views of the above
};

}  // namespace rhc
