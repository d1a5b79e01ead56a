#include "rhc/plant/plant_protocol.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/describe/system_file.h"
#include "rhc/format/json.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

std::string refusal_of_line(const std::string& line, Index size = 2) {
  return message_of<InputError>([&] { parse_observation(line, 7, size); });
}

TEST(PlantProtocol, NumbersArriveBitForBit) {
  RandomStream randomness(1, "numbers");
  for (int i = 0; i < 300; ++i) {
    const Vector sent = randomness.normals(3) * std::pow(10.0, randomness.uniform(-300, 300));
    const Json request = Json::parse(step_request(7, sent));
    EXPECT_EQ(request["type"], "step");
    EXPECT_EQ(request["id"], 7);
    const std::string answer = Json{{"observation", request["action"]}}.dump();
    EXPECT_EQ(parse_observation(answer, 7, 3), sent);
  }
}

TEST(PlantProtocol, AnEndIsSaidBesideTheObservation) {
  EXPECT_TRUE(parse_ended("{\"observation\": [1, 2], \"ended\": true}", 7));
  for (const char* line : {"{\"observation\": [1, 2]}", "{\"observation\": [1], \"ended\": false}",
                           "{\"observation\": [1], \"ended\": null}"})
    EXPECT_FALSE(parse_ended(line, 7)) << line;
  EXPECT_EQ(message_of<InputError>([] { parse_ended("{\"ended\": \"yes\"}", 7); }),
            "an \"ended\" that is neither true nor false: '\"yes\"'");
}

TEST(PlantProtocol, ARequestIsOneLine) {
  for (const std::string& line :
       {hello_request(1), reset_request(2, Vector::Zero(2)), close_request(3)})
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(PlantProtocol, AStopIsHeardInWhateverElseIsSaid) {
  for (const char* lines : {"{\"stop\": \"too hot\"}", "{\"stop\":\"too hot\",\"id\":-3}\n",
                            "{\"observation\": [1, 2]}\n{\"stop\": \"too hot\"}\n",
                            "ready\n{\"error\": \"?\", \"stop\": \" too hot\\n\"}\n{\"obser",
                            "{\"observation\": [1, 2], \"stop\": \"too hot\"}"})
    EXPECT_EQ(stop_in(lines), "too hot") << lines;
  for (const char* lines : {"{\"stop\": true}", "{\"stop\": \"\"}"})
    EXPECT_EQ(stop_in(lines), "it does not say why") << lines;
  EXPECT_EQ(stop_in("{\"stop\": 7}"), "7") << "in doubt it stops";
  EXPECT_EQ(stop_in("{\"stop\": \"a\\nb\"}"), "a\\nb") << "on one line";
  EXPECT_EQ(stop_in("{\"stop\": \"" + std::string(5000, 'x') + "\"}")->size(), 303u);
}

// Whatever is wrong with a line that speaks of a stop, a machine that goes on is worse.
TEST(PlantProtocol, AStopThatCannotBeUnderstoodIsAStop) {
  const std::string deep = std::string(500000, '[') + std::string(500000, ']');
  for (const std::string& line : std::initializer_list<std::string>{
           "{\"observation\": [NaN], \"stop\": \"pressed\"}",
           "{\"stop\": \"gedr\xfc"
           "ckt\"}",
           "{\"stop\": \"tab\there\"}", "{\"stop\": \"x\",}", "{'stop': 'x'}",
           "[{\"stop\": \"x\"}]", "{\"observation\": [0]} {\"stop\": \"x\"}", "{\"Stop\": \"x\"}",
           "{\"STOP\" : 1}", "{\"stop\": \"x\", \"stop\": false}", "{\"stop\": " + deep + "}",
           "{\"stop\": \"cut"}) {
    const auto why = stop_in(line);
    ASSERT_TRUE(why) << line.substr(0, 100);
    EXPECT_TRUE(why->starts_with("it said '")) << *why;
  }
}

TEST(PlantProtocol, AStopIsNotReadIntoSomethingElse) {
  for (const std::string& lines : std::initializer_list<std::string>{
           "", "\n\n", "{\"observation\": [1, 2]}", "{\"stop\": false, \"observation\": [1, 2]}",
           "{\"stop\": null}", "\"stop\"", "[\"stop\"]", "{\"error\": \"\\\"stop\\\"\"}",
           "{\"error\": \"\\\"stop\\\": no\"}", "{\"info\": {\"stop\": \"far away\"}}",
           "{\"nonstop\": true}", "do not stop: go on"})
    EXPECT_EQ(stop_in(lines), std::nullopt) << lines.substr(0, 100);
}

TEST(PlantProtocol, RefusesWhatIsNoObservation) {
  EXPECT_EQ(refusal_of_line("{\"observation\": [1, 2.5], \"id\": 7}"), "");
  EXPECT_EQ(refusal_of_line("{\"observation\": [1, 2.5]}"), "") << "the number may be left out";
  EXPECT_EQ(refusal_of_line("{\"observation\": [1, 2.5], \"id\": 6}"),
            "the answer to request '6', where request 7 was waiting");
  EXPECT_NE(refusal_of_line("ready").find("not a JSON object, but 'ready' (standard output is"),
            std::string::npos);
  EXPECT_EQ(refusal_of_line("[1, 2]"), "not a JSON object, but '[1, 2]'");
  EXPECT_EQ(refusal_of_line("{}"), "no \"observation\", but '{}'");
  EXPECT_EQ(refusal_of_line("{\"observation\": 3}"), "an \"observation\" that is not a list: '3'");
  EXPECT_EQ(refusal_of_line("{\"observation\": [1]}"), "1 observation instead of 2");
  EXPECT_EQ(refusal_of_line("{\"observation\": [1, 2, 3]}"), "3 observations instead of 2");
  EXPECT_EQ(refusal_of_line("{\"observation\": [NaN, 2]}"),
            "NaN among its numbers: '{\"observation\": [NaN, 2]}'");
  EXPECT_EQ(refusal_of_line("{\"observation\": [1, null]}"),
            "an observation that is not a finite number: 'null'");
  EXPECT_NE(refusal_of_line("{\"observation\": [1, 1e999]}"), "");
  EXPECT_EQ(refusal_of_line("{\"error\": \"too hot\"}"), "an error: 'too hot'");
  for (const char* key : {"observation", "error", "id"}) {
    const std::string deep = std::string(500000, '[') + std::string(500000, ']');
    EXPECT_NE(refusal_of_line("{\"" + std::string(key) + "\": [" + deep + ", 2]}").find("nested"),
              std::string::npos)
        << key;
  }
}

TEST(PlantProtocol, ShowsAnyBytesAsShortText) {
  EXPECT_EQ(excerpt("a\x01\xff\x7f"), "'a\\x01\xef\xbf\xbd\\x7f'");
  EXPECT_LT(excerpt(std::string(100000, 'x')).size(), 200u);
  EXPECT_EQ(excerpt("hot\n\x1b[31mred\r\n"), "'hot\\n\\x1b[31mred\\x0d\\n'") << "on one line";
}

const std::string kLabSystem =
    R"({"name": "lab", "time_step": 0.1, "horizon": 50,
        "observation": [{"name": "x", "start": 0.25, "limits": [null, 3], "range": [-1, 1]},
                        {"name": "a", "angle": true, "start": 0}],
        "action": [{"name": "u", "bounds": [-1.5, 1]}],
        "task": {"weight": {"x": 2}}})";

TEST(PlantProtocol, ASystemIsThatOfItsTomlFile) {
  const std::string toml = parse_hello("{\"protocol\": 1, \"system\": " + kLabSystem + "}", 1);
  const SystemSpec spec = parse_system(toml, "hello", {}).system.spec();
  EXPECT_EQ(spec.name, "lab");
  EXPECT_EQ(spec.time_step, 0.1);
  EXPECT_EQ(spec.horizon, 50);
  EXPECT_EQ(names_of(spec.observation), (std::vector<std::string>{"x", "cos_a", "sin_a"}));
  EXPECT_EQ(spec.limits.lower[0], -kInfinity);
  EXPECT_EQ(spec.limits.upper[0], 3);
  EXPECT_EQ(spec.action_bounds.lower[0], -1.5);
  EXPECT_EQ(spec.task.weight[0], 2);
  EXPECT_FALSE(spec.simulated);
}

TEST(PlantProtocol, NumbersOfASystemAreKeptToTheLastBit) {
  RandomStream randomness(2, "numbers");
  for (int i = 0; i < 100; ++i) {
    Json system = Json::parse(kLabSystem);
    const double step = std::exp(randomness.uniform(-20, 20)), start = randomness.uniform(-1, 1);
    system["time_step"] = step;
    system["observation"][0]["start"] = start;
    const std::string toml = parse_hello(Json{{"protocol", 1}, {"system", system}}.dump(), 1);
    const SystemSpec spec = parse_system(toml, "hello", {}).system.spec();
    EXPECT_EQ(spec.time_step, step);
    EXPECT_EQ(spec.start[0], start);
  }
}

TEST(PlantProtocol, AHelloNeedsNoSystem) { EXPECT_EQ(parse_hello("{\"protocol\": 1}", 1), ""); }

TEST(PlantProtocol, RefusesWhatIsNoHello) {
  const auto refused = [](const std::string& line) {
    return message_of<InputError>([&] { parse_hello(line, 1); });
  };
  EXPECT_EQ(refused("{}"), "no \"protocol\": 1 in '{}'");
  EXPECT_EQ(refused("{\"protocol\": 2}"), "protocol '2', this program speaks protocol 1");
  EXPECT_EQ(refused("{\"protocol\": 1, \"system\": 3}"), "a \"system\" that is not an object");
  EXPECT_EQ(refused("{\"protocol\": 1, \"system\": {\"task\": {\"weight\": null}}}"),
            "its system: 'task.weight' is null");
  for (const std::size_t depth : {20u, 100000u}) {
    std::string deep;
    for (std::size_t i = 0; i < depth; ++i) deep += "{\"a\":";
    EXPECT_NE(refused("{\"protocol\": 1, \"system\": " + deep + "1" + std::string(depth + 1, '}'))
                  .find("nested"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace rhc
