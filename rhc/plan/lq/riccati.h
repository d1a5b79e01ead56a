// A linear-quadratic problem over a horizon, and the backward pass that solves it in O(T).
//
//   min  sum_t 1/2 z_t' H_t z_t + g_t' z_t  +  1/2 x_T' P x_T + p' x_T,     z_t = (x_t, u_t)
//   s.t. x_0 = 0,  x_{t+1} = F_t z_t + d_t,  lower_t <= u_t <= upper_t
//
// All are changes from some trajectory: d_t is the gap that is still open there.
#pragma once

#include <Eigen/Core>

#include "rhc/core/types.h"
#include "rhc/plan/lq/box_qp.h"

namespace rhc::lq {

// Stage t's matrix is the t-th block of columns.
struct Problem {
  Problem(Index states, Index actions, Index horizon);

  auto F_(Index t) { return F.middleCols(t * n(), n()); }
  auto H_(Index t) { return H.middleCols(t * n(), n()); }
  auto F_(Index t) const { return F.middleCols(t * n(), n()); }
  auto H_(Index t) const { return H.middleCols(t * n(), n()); }
  Index n() const { return g.rows(); }
  Index states() const { return F.rows(); }
  Index actions() const { return lower.rows(); }
  Index horizon() const { return g.cols(); }

  Matrix F;             // nx x (n T)
  Matrix d;             // nx x T
  Matrix H;             // n x (n T), symmetric blocks
  Matrix g;             // n x T
  Matrix P;             // nx x nx
  Vector p;             // nx
  Matrix lower, upper;  // nu x T
};

struct RiccatiSettings {
  double shift = 0;            // added to the actions' curvature
  double least_curvature = 0;  // below which it is lifted
};

enum class RiccatiStatus { ok, not_finite };

// The policy u = k_t + K_t x, and what it promises.
struct Policy {
  Policy(Index states, Index actions, Index horizon);

  Matrix k;          // nu x T
  Matrix K;          // nu x (nx T)
  double slope;      // derivative of the cost along k
  double curvature;  // geometric mean of the actions' curvature, before shift and lift
};

// What one stage of the pass works with.
struct Stage {
  Stage(Index nx, Index nu)
      : V(nx, nx),
        Q(nx + nu, nx + nu),
        VF(nx, nx + nu),
        Quu(nu, nu),
        K(nu, nx),
        QuuK(nu, nx),
        v(nx),
        q(nx + nu),
        k(nu),
        force(nu) {}

  Matrix V;  // the value of a state: 1/2 x' V x + v' x
  Matrix Q;  // the same of state and action
  Matrix VF;
  Matrix Quu;
  Matrix K, QuuK;
  Vector v;
  Vector q;
  Vector k, force;
};

// Where an action's curvature is negative the pass turns it over, as if the cost were bent the
// other way there: the step is then downhill all the same.
class Riccati {
 public:
  Riccati(Index states, Index actions);

  RiccatiStatus solve(const Problem& problem, const RiccatiSettings& settings, Policy& policy);

 private:
  Stage stage_;
  BoxQp program_;
};

// x (nx x (T+1)) and u (nu x T) that follow from the policy.
void simulate(const Problem& problem, const Policy& policy, Matrix& x, Matrix& u);

}  // namespace rhc::lq
