#include "rhc/describe/units.h"

#include <array>
#include <numbers>
#include <string>

#include "rhc/core/text.h"

namespace rhc {

namespace {

struct Unit {
  std::string_view name, kind;
  double size;  // in the first of its kind
};

constexpr double kPi = std::numbers::pi;
constexpr std::array kUnits = {Unit{"rad", "angle", 1},
                               Unit{"mrad", "angle", 1e-3},
                               Unit{"deg", "angle", kPi / 180},
                               Unit{"°", "angle", kPi / 180},
                               Unit{"rev", "angle", 2 * kPi},
                               Unit{"turn", "angle", 2 * kPi},
                               Unit{"m", "length", 1},
                               Unit{"cm", "length", 1e-2},
                               Unit{"mm", "length", 1e-3},
                               Unit{"um", "length", 1e-6},
                               Unit{"µm", "length", 1e-6},
                               Unit{"km", "length", 1e3},
                               Unit{"s", "time", 1},
                               Unit{"sec", "time", 1},
                               Unit{"ms", "time", 1e-3},
                               Unit{"us", "time", 1e-6},
                               Unit{"µs", "time", 1e-6},
                               Unit{"ns", "time", 1e-9},
                               Unit{"min", "time", 60},
                               Unit{"N", "force", 1},
                               Unit{"mN", "force", 1e-3},
                               Unit{"kN", "force", 1e3},
                               Unit{"N m", "torque", 1},
                               Unit{"Nm", "torque", 1},
                               Unit{"N*m", "torque", 1},
                               Unit{"mNm", "torque", 1e-3},
                               Unit{"A", "current", 1},
                               Unit{"mA", "current", 1e-3},
                               Unit{"V", "voltage", 1},
                               Unit{"mV", "voltage", 1e-3},
                               Unit{"rpm", "angle/time", kPi / 30}};

constexpr std::size_t kLongestUnit = 60;

// Of a unit, or of one by another such as deg/s.
struct Kind {
  std::string kind;
  double size;
};

std::optional<Kind> simple(std::string_view text) {
  for (const Unit& unit : kUnits)
    if (unit.name == text) return Kind{std::string(unit.kind), unit.size};
  return std::nullopt;
}

std::optional<Kind> compound(std::string_view text) {
  if (text.size() > kLongestUnit) return std::nullopt;
  if (const auto whole = simple(trim(text))) return whole;
  const auto at = text.rfind('/');
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view below = trim(text.substr(at + 1));
  const bool squared = below.ends_with("^2") || below.ends_with("2") || below.ends_with("²");
  if (squared) below.remove_suffix(below.ends_with("^2") || below.ends_with("²") ? 2 : 1);
  const auto upper = compound(text.substr(0, at)), lower = simple(below);
  if (!upper || !lower) return std::nullopt;
  const std::string kind = upper->kind + "/" + lower->kind;
  if (!squared) return Kind{kind, upper->size / lower->size};
  return Kind{kind + "/" + lower->kind, upper->size / lower->size / lower->size};
}

}  // namespace

std::optional<double> unit_ratio(std::string_view from, std::string_view to) {
  from = trim(from);
  to = trim(to);
  if (from == to) return 1;
  const auto a = compound(from), b = compound(to);
  if (!a || !b || a->kind != b->kind) return std::nullopt;
  return a->size / b->size;
}

}  // namespace rhc
