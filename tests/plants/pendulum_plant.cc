// The bundled pendulum as a program of its own.
#include <iostream>

#include "rhc/format/json.h"
#include "rhc/system/pendulum.h"

using namespace rhc;

int main() {
  const Pendulum pendulum;
  const SystemSpec spec = pendulum.spec();
  const auto pair = [](double lower, double upper) { return Json::array({lower, upper}); };
  const Json system = {
      {"name", spec.name},
      {"time_step", spec.time_step},
      {"horizon", spec.horizon},
      {"observation",
       {{{"name", "theta"}, {"unit", "rad"}, {"angle", true}, {"start", spec.start[0]}},
        {{"name", "thetadot"},
         {"unit", "rad/s"},
         {"start", spec.start[1]},
         {"range", pair(spec.region.lower[1], spec.region.upper[1])}}}},
      {"action", {{{"name", "action"}, {"unit", "N m"}, {"bounds", pair(-1, 1)}}}},
      {"task",
       {{"target", {{"cos_theta", 1}, {"sin_theta", 0}, {"thetadot", 0}}},
        {"weight", {{"cos_theta", 100}, {"sin_theta", 0.1}, {"thetadot", 0.1}}},
        {"action_weight", {{"action", 0.001}}}}}};
  Vector state = spec.start;
  for (std::string line; std::getline(std::cin, line);) {
    const JsonReader request(line, "request");
    const std::string type = request.text("type");
    if (type == "close") break;
    Json answer = {{"id", request.at("id")}};
    if (type == "hello") answer.update({{"protocol", 1}, {"system", system}});
    if (type == "reset") state = request.vector("start", 2);
    if (type == "step") state = pendulum.step(state, request.vector("action", 1));
    if (type != "hello") answer["observation"] = vector_json(state);
    std::cout << answer.dump() << std::endl;
  }
}
