// Between our matrices and LibTorch's tensors: single precision, one point a row.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <string>

#include "rhc/core/named_values.h"
#include "rhc/core/random.h"

namespace rhc {

using at::Tensor;

// "cpu" or "cuda"; InputError where there is no such device. From here on LibTorch works on one
// thread: on several, sums change their order and runs their bytes.
at::Device device_named(const std::string& name);

Tensor rows_of(const ConstMatrixRef& columns, at::Device device);
Matrix columns_of(const Tensor& rows);

// Standard normal, uniform within -1 and 1, and 0 .. limit - 1.
Tensor normals(at::IntArrayRef shape, RandomStream& randomness, at::Device device);
Tensor uniforms(at::IntArrayRef shape, RandomStream& randomness, at::Device device);
Tensor integers_below(Index limit, Index count, RandomStream& randomness, at::Device device);

// Every value, exactly; `take` wants the shape that the tensor has, which it overwrites in place.
void put(NamedValues& archive, const std::string& name, const Tensor& values);
void take(const NamedValues& archive, const std::string& name, Tensor& values);

}  // namespace rhc
