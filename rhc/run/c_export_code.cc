#include "rhc/run/c_export_code.h"

#include <fmt/format.h>

namespace rhc {

namespace {

constexpr char kStateCode[] = R"(
#ifdef RHC_FLOAT
#define RHC_SIN sinf
#define RHC_COS cosf
#define RHC_SQRT sqrtf
#define RHC_SMALL 1e-6f
#define RHC_TINY 1e-30f
#else
#define RHC_SIN sin
#define RHC_COS cos
#define RHC_SQRT sqrt
#define RHC_SMALL 1e-12
#define RHC_TINY 1e-300
#endif

/* What is known of the system, and by how much it is in doubt. Actions are known exactly. */
static rhc_real rhc_seen[RHC_SEEN];
static rhc_real rhc_doubt[RHC_SEEN][RHC_SEEN];
static rhc_real rhc_done[RHC_DONE];

static int rhc_time;    /* steps of the plan that are done */
static int rhc_now;     /* the step that the last action was of */
static int rhc_blind;   /* steps since the last measurement that was believed */
static int rhc_absurd;  /* measurements since then that were not */
static int rhc_placed;  /* whether anything was measured yet */
static int rhc_resting; /* until rhc_start() */

/* Of one step: what it begins with, where it leads, and how that changes with what is seen. */
static rhc_real rhc_input[RHC_INPUTS];
static rhc_real rhc_next[RHC_OBSERVED];
static rhc_real rhc_slope[RHC_OBSERVED][RHC_SEEN];

static rhc_real rhc_between(rhc_real value, rhc_real lower, rhc_real upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}
)";

constexpr char kSinesCode[] = R"(
/* Adds sines of the input, and their slope. `weight` has a row of `outputs` numbers for each. */
static void rhc_add_sines(int count, const rhc_real (*frequency)[RHC_INPUTS],
                          const rhc_real *phase, const rhc_real *weight, int outputs,
                          const int *output)
{
    int m, j, k;
    for (m = 0; m < count; ++m, weight += outputs) {
        rhc_real argument = phase[m], sine, cosine;
        for (j = 0; j < RHC_INPUTS; ++j)
            argument += frequency[m][j] * rhc_input[j];
        sine = RHC_SIN(argument);
        cosine = RHC_COS(argument);
        for (k = 0; k < outputs; ++k) {
            const rhc_real slope = weight[k] * cosine;
            rhc_next[output[k]] += weight[k] * sine;
            for (j = 0; j < RHC_SEEN; ++j)
                rhc_slope[output[k]][j] += slope * frequency[m][j];
        }
    }
}
)";

constexpr char kMovesCode[] = R"(
/* A position goes on by its speed. */
static void rhc_moves(int position, int speed, rhc_real seconds)
{
    rhc_next[position] += seconds * rhc_seen[speed];
    rhc_slope[position][speed] += seconds;
}
)";

constexpr char kTurnsCode[] = R"(
/* An angle goes on by its speed: its cosine and sine turn. */
static void rhc_turns(int cosine, int sine, int speed, rhc_real seconds)
{
    const rhc_real way = seconds * rhc_seen[speed];
    const rhc_real c = RHC_COS(way), s = RHC_SIN(way);
    const rhc_real from_c = rhc_seen[cosine], from_s = rhc_seen[sine];
    rhc_next[cosine] += from_c * (c - 1) - from_s * s;
    rhc_next[sine] += from_s * (c - 1) + from_c * s;
    rhc_slope[cosine][cosine] += c - 1;
    rhc_slope[cosine][sine] -= s;
    rhc_slope[cosine][speed] -= seconds * (from_c * s + from_s * c);
    rhc_slope[sine][sine] += c - 1;
    rhc_slope[sine][cosine] += s;
    rhc_slope[sine][speed] += seconds * (from_c * c - from_s * s);
}
)";

constexpr char kCirclesCode[] = R"(
/* How far a cosine and sine are from the centre of their circle. Near it no direction is right. */
static rhc_real rhc_radius(rhc_real cosine, rhc_real sine)
{
    const rhc_real radius = RHC_SQRT(cosine * cosine + sine * sine), least = (rhc_real)1e-3;
    return radius > least ? radius : least;
}

/* Brings the next cosine and sine to the circle, and their slope with them. */
static void rhc_to_circle(int cosine, int sine)
{
    const rhc_real radius = rhc_radius(rhc_next[cosine], rhc_next[sine]);
    const rhc_real c = rhc_next[cosine] / radius, s = rhc_next[sine] / radius;
    int j;
    for (j = 0; j < RHC_SEEN; ++j) {
        const rhc_real across = (c * rhc_slope[sine][j] - s * rhc_slope[cosine][j]) / radius;
        rhc_slope[cosine][j] = -s * across;
        rhc_slope[sine][j] = c * across;
    }
    rhc_next[cosine] = c;
    rhc_next[sine] = s;
}

/* The same of what is estimated now. */
static void rhc_settle(int cosine, int sine)
{
    const rhc_real radius = rhc_radius(rhc_seen[cosine], rhc_seen[sine]);
    rhc_seen[cosine] /= radius;
    rhc_seen[sine] /= radius;
}
)";

constexpr char kMotionCode[] = R"(
/* One step of the learned motion from the estimate, with the last action. */
static void rhc_move(void)
{
    int i, j;
    for (i = 0; i < RHC_SEEN; ++i)
        rhc_input[i] = rhc_seen[i];
)";

constexpr char kChangeCode[] = R"(    for (i = 0; i < RHC_OBSERVED; ++i) {
        rhc_next[i] = rhc_seen[i] + rhc_offset[i];
        for (j = 0; j < RHC_SEEN; ++j)
            rhc_slope[i][j] = i == j ? 1 : 0;
    }
)";

constexpr char kLinearCode[] = R"(    for (i = 0; i < RHC_OBSERVED; ++i) {
        for (j = 0; j < RHC_INPUTS; ++j)
            rhc_next[i] += rhc_linear[i][j] * rhc_input[j];
        for (j = 0; j < RHC_SEEN; ++j)
            rhc_slope[i][j] += rhc_linear[i][j];
    }
)";

constexpr char kPredictCode[] = R"(
/* The estimate and its doubt, a step later. What was seen moves one place further. */
static void rhc_predict(void)
{
    static rhc_real moved[RHC_OBSERVED][RHC_SEEN]; /* slope times doubt */
    const rhc_real *spread = rhc_spread[rhc_now];
    int i, j, k;
    rhc_move();
    for (i = 0; i < RHC_OBSERVED; ++i)
        for (j = 0; j < RHC_SEEN; ++j) {
            moved[i][j] = 0;
            for (k = 0; k < RHC_SEEN; ++k)
                moved[i][j] += rhc_slope[i][k] * rhc_doubt[k][j];
        }
)";

constexpr char kShiftCode[] = R"(    for (i = RHC_SEEN - 1; i >= RHC_OBSERVED; --i) {
        rhc_seen[i] = rhc_seen[i - RHC_OBSERVED];
        for (j = RHC_SEEN - 1; j >= RHC_OBSERVED; --j)
            rhc_doubt[i][j] = rhc_doubt[i - RHC_OBSERVED][j - RHC_OBSERVED];
        for (j = 0; j < RHC_OBSERVED; ++j)
            rhc_doubt[i][j] = rhc_doubt[j][i] = moved[j][i - RHC_OBSERVED];
    }
)";

constexpr char kPredictedCode[] = R"(    for (i = 0; i < RHC_OBSERVED; ++i)
        for (j = 0; j <= i; ++j) {
            rhc_real sum = 0;
            for (k = 0; k < RHC_SEEN; ++k)
                sum += moved[i][k] * rhc_slope[j][k];
            rhc_doubt[i][j] = rhc_doubt[j][i] = sum;
        }
    for (i = 0; i < RHC_OBSERVED; ++i) {
        rhc_seen[i] = rhc_next[i];
        rhc_doubt[i][i] += spread[i];
    }
}
)";

constexpr char kMeasureCode[] = R"(
/* The measurement is where the system is: what came before is as doubtful as that is new. */
static void rhc_begin_anew(const rhc_real *observed)
{
    int i, j;
    for (i = RHC_SEEN - 1; i >= 0; --i) {
        const int of = i % RHC_OBSERVED;
        const rhc_real off = i < RHC_OBSERVED ? 0 : observed[of] - rhc_seen[of];
        for (j = 0; j < RHC_SEEN; ++j)
            rhc_doubt[i][j] = 0;
        rhc_doubt[i][i] = rhc_sensor_variance[of] + off * off;
    }
    for (i = 0; i < RHC_OBSERVED; ++i)
        rhc_seen[i] = observed[i];
}

/* Corrects the estimate by a measurement; 0: it is absurd, and nothing changes. */
static int rhc_correct(const rhc_real *observed)
{
    static rhc_real root[RHC_OBSERVED][RHC_OBSERVED]; /* of the variance that is expected */
    static rhc_real gain[RHC_OBSERVED][RHC_SEEN];
    static rhc_real row[RHC_OBSERVED][RHC_SEEN]; /* doubt before the correction */
    static rhc_real surprise[RHC_OBSERVED];
    rhc_real least = 0;
    int i, j, k;
    /* Where nothing is in doubt, there is nothing to correct. */
    for (i = 0; i < RHC_OBSERVED; ++i)
        least += RHC_SMALL * (rhc_doubt[i][i] + rhc_sensor_variance[i]) / RHC_OBSERVED;
    least += RHC_TINY;
    for (i = 0; i < RHC_OBSERVED; ++i) {
        const rhc_real variance = rhc_doubt[i][i] + rhc_sensor_variance[i] + least;
        surprise[i] = observed[i] - rhc_seen[i];
        if (!(surprise[i] * surprise[i] <= RHC_GATE * RHC_GATE * variance))
            return 0;
        for (j = 0; j < RHC_SEEN; ++j)
            row[i][j] = gain[i][j] = rhc_doubt[i][j];
    }
    /* Cholesky's factor, and the gain by it. */
    for (i = 0; i < RHC_OBSERVED; ++i)
        for (j = 0; j <= i; ++j) {
            rhc_real sum = rhc_doubt[i][j];
            if (i == j)
                sum += rhc_sensor_variance[i] + least;
            for (k = 0; k < j; ++k)
                sum -= root[i][k] * root[j][k];
            root[i][j] = i == j ? RHC_SQRT(sum) : sum / root[j][j];
        }
    for (j = 0; j < RHC_SEEN; ++j) {
        for (i = 0; i < RHC_OBSERVED; ++i) {
            for (k = 0; k < i; ++k)
                gain[i][j] -= root[i][k] * gain[k][j];
            gain[i][j] /= root[i][i];
        }
        for (i = RHC_OBSERVED - 1; i >= 0; --i) {
            for (k = i + 1; k < RHC_OBSERVED; ++k)
                gain[i][j] -= root[k][i] * gain[k][j];
            gain[i][j] /= root[i][i];
        }
    }
    for (i = 0; i < RHC_SEEN; ++i) {
        for (k = 0; k < RHC_OBSERVED; ++k)
            rhc_seen[i] += gain[k][i] * surprise[k];
        for (j = 0; j <= i; ++j) {
            rhc_real less = 0;
            for (k = 0; k < RHC_OBSERVED; ++k)
                less += gain[k][i] * row[k][j] + gain[k][j] * row[k][i];
            rhc_doubt[i][j] = rhc_doubt[j][i] = rhc_doubt[i][j] - less / 2;
        }
    }
    return 1;
}

/* The estimate by what is measured; NULL: nothing was. */
static void rhc_measure(const rhc_real *measured)
{
    rhc_real observed[RHC_OBSERVED];
    if (rhc_placed)
        rhc_predict();
    if (measured == NULL) {
        ++rhc_blind;
        return;
    }
    rhc_observe(measured, observed);
    if (!rhc_placed) {
        rhc_place(observed);
    } else if (!rhc_correct(observed)) {
        ++rhc_blind;
        if (++rhc_absurd < RHC_BELIEVE_AFTER)
            return;
        rhc_begin_anew(observed);
    }
    rhc_settle_all();
    rhc_placed = 1;
    rhc_blind = rhc_absurd = 0;
}
)";

constexpr char kPlaceCode[] = R"(
/* The first measurement says where the system is, as well as the sensors can tell. */
static void rhc_place(const rhc_real *observed)
{
    int i, j;
    for (i = 0; i < RHC_TOLD; ++i)
        rhc_seen[i] = observed[i % RHC_OBSERVED];
    for (i = 0; i < RHC_SEEN; ++i)
        for (j = 0; j < RHC_SEEN; ++j)
            rhc_doubt[i][j] = i == j ? rhc_sensor_variance[i % RHC_OBSERVED] : 0;
}
)";

constexpr char kFeedbackCode[] = R"(
/* A step of the plan, corrected by how far the system is from it. */
static void rhc_follow(const rhc_real *state, const rhc_real *control,
                       const rhc_real (*gain)[RHC_STATES], rhc_real *action)
{
    int i, k;
    for (i = 0; i < RHC_ACTIONS; ++i) {
        rhc_real wanted = control[i];
        for (k = 0; k < RHC_SEEN; ++k)
            wanted += gain[i][k] * (rhc_seen[k] - state[k]);
)";

constexpr char kStepCode[] = R"(
static void rhc_remember(const rhc_real *action)
{
    int i;
    for (i = RHC_DONE - 1; i >= RHC_ACTIONS; --i)
        rhc_done[i] = rhc_done[i - RHC_ACTIONS];
    for (i = 0; i < RHC_ACTIONS; ++i)
        rhc_done[i] = action[i];
}

static int rhc_finite(const rhc_real *values, int count)
{
    int i;
    for (i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

/* The plan begins anew with the next measurement. */
void rhc_start(void)
{
    int i;
    for (i = 0; i < RHC_SEEN; ++i)
        rhc_seen[i] = rhc_first_seen[i];
    for (i = 0; i < RHC_DONE; ++i)
        rhc_done[i] = rhc_first_done[i];
    rhc_time = rhc_now = rhc_blind = rhc_absurd = rhc_placed = rhc_resting = 0;
}

/* What to do in this period, by what was measured at its beginning; NULL: nothing was. */
int rhc_step(const rhc_real *measured, rhc_real *action)
{
    int source, i;
    rhc_measure(measured != NULL && rhc_finite(measured, RHC_MEASURED) ? measured : NULL);
    source = rhc_choose(action);
    if (rhc_placed && rhc_is_lost())
        rhc_resting = 1;
    if ((source == RHC_FOLLOWS_PLAN || source == RHC_HOLDS) && !rhc_finite(action, RHC_ACTIONS))
        rhc_resting = 1;
    if (rhc_resting)
        source = RHC_RESTS;
    if (source == RHC_WAITS || source == RHC_RESTS)
        for (i = 0; i < RHC_ACTIONS; ++i)
            action[i] = rhc_limited(i, rhc_rest[i]);
    rhc_remember(action);
    return source;
}
)";

std::string choose_code(bool holds) {
  return std::string(R"(
/* The action by plan or regulator, and where it came from. */
static int rhc_choose(rhc_real *action)
{
    rhc_now = rhc_time;
    if (!rhc_placed)
        return RHC_WAITS;
    if (rhc_time < RHC_STEPS) {
        rhc_follow(rhc_plan_states[rhc_time], rhc_plan_controls[rhc_time],
                   rhc_plan_gains[rhc_time], action);
        ++rhc_time;
        return RHC_FOLLOWS_PLAN;
    }
)") +
         (holds ? R"(    rhc_follow(rhc_hold_state, rhc_hold_control, rhc_hold_gain, action);
    return RHC_HOLDS;
)"
                : R"(    return RHC_RESTS;
)") + "}\n";
}

std::string is_lost_code(bool gets_lost) {
  return std::string(R"(
/* Whether nobody knows where the system is. */
static int rhc_is_lost(void)
{
)") +
         (gets_lost ? R"(    int i;
    for (i = 0; i < RHC_OBSERVED && rhc_blind > 0; ++i)
        if (!(rhc_doubt[i][i] <= rhc_lost[i]))
            return 1;
)"
                    : "") +
         "    return rhc_blind > RHC_MOST_BLIND;\n}\n";
}

std::string limited_code(bool changes) {
  return std::string(
             "\n/* The nearest to it that action i may be now. */\n"
             "static rhc_real rhc_limited(int i, rhc_real wanted)\n{\n") +
         (changes ? "    wanted = rhc_between(wanted, rhc_done[i] - rhc_most[i], "
                    "rhc_done[i] + rhc_most[i]);\n"
                  : "") +
         "    return rhc_between(wanted, rhc_lower[i], rhc_upper[i]);\n}\n";
}

}  // namespace

std::string declarations_code(Index measured, Index acted, Index steps) {
  return fmt::format(R"(#ifndef RHC_CONTROLLER_DECLARED
#define RHC_CONTROLLER_DECLARED

#ifdef RHC_FLOAT
typedef float rhc_real;
#else
typedef double rhc_real;
#endif

enum {{
    RHC_MEASURED = {}, /* numbers that are measured */
    RHC_ACTIONS = {},  /* numbers of an action */
    RHC_STEPS = {}     /* of the plan */
}};

/* Where an action came from: no measurement came yet; the plan; the regulator after it; rest. */
enum {{ RHC_WAITS = 0, RHC_FOLLOWS_PLAN = 1, RHC_HOLDS = 2, RHC_RESTS = 3 }};

void rhc_start(void);
int rhc_step(const rhc_real *measured, rhc_real *action);

#endif /* RHC_CONTROLLER_DECLARED */

#ifndef RHC_DECLARATIONS_ONLY

#include <math.h>
#include <stddef.h>

)",
                     measured, acted, steps);
}

std::string controller_code(const CodeParts& parts) {
  std::string code = kStateCode;
  code += limited_code(parts.changes);
  code +=
      "\n/* What the model sees of a measurement. */\n"
      "static void rhc_observe(const rhc_real *measured, rhc_real *observed)\n{\n" +
      parts.observe + "}\n";
  code += kSinesCode;
  if (parts.moves) code += kMovesCode;
  if (parts.turns) code += kTurnsCode;
  if (!parts.settle.empty()) code += kCirclesCode;

  code += kMotionCode;
  if (parts.actions_seen)
    code +=
        "    for (i = 0; i < RHC_BEFORE; ++i)\n"
        "        rhc_input[RHC_SEEN + i] = rhc_done[RHC_ACTIONS + i];\n";
  code +=
      "    for (i = 0; i < RHC_ACTIONS; ++i)\n"
      "        rhc_input[RHC_SEEN + RHC_BEFORE + i] = rhc_done[i];\n";
  code += kChangeCode;
  if (parts.linear) code += kLinearCode;
  code += parts.sines + parts.known + parts.slope_circles + "}\n";

  code += kPredictCode;
  if (parts.history) code += kShiftCode;
  code += kPredictedCode;
  code += std::string("\n#define RHC_TOLD ") +
          (parts.still_before ? "RHC_SEEN /* by the first measurement: before it all was still */"
                              : "RHC_OBSERVED /* by it: before it all was as the plan knows */") +
          "\n";
  code += kPlaceCode;
  code +=
      "\n/* Cosines and sines come back to their circles. */\n"
      "static void rhc_settle_all(void)\n{\n" +
      parts.settle + "}\n";
  code += kMeasureCode;
  code += kFeedbackCode;
  if (parts.actions_in_state)
    code +=
        "        for (k = RHC_SEEN; k < RHC_STATES; ++k)\n"
        "            wanted += gain[i][k] * (rhc_done[k - RHC_SEEN] - state[k]);\n";
  code += parts.changes ? "        action[i] = rhc_limited(i, rhc_done[i] + wanted);\n"
                        : "        action[i] = rhc_limited(i, wanted);\n";
  code += "    }\n}\n";
  return code + choose_code(parts.holds) + is_lost_code(parts.gets_lost) + kStepCode;
}

}  // namespace rhc
