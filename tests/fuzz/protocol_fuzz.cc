// Lines that a plant answers with.
#include "rhc/plant/plant_protocol.h"
#include "rhc/plant/process_plant.h"
#include "tests/fuzz/input.h"

using namespace rhc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line = as_text(data, size);
  refused_or([&] {
    const std::string toml = parse_hello(line, 1);
    if (!toml.empty())
      promised(
          difference(described_system(toml).system.spec(), described_system(toml).system.spec())
              .empty());
  });
  for (const Index count : {1, 2})
    refused_or([&] {
      const Vector observation = parse_observation(line, 1, count);
      promised(observation.size() == count && observation.allFinite());
    });
  refused_or([&] { parse_ended(line, 1); });
  refused_or([&] { promised(parse_id(line).value_or(0) >= 0); });
  says_error(line);
  if (const auto why = stop_in(line)) promised(!why->empty() && why->size() < 2000);
  promised(excerpt(line).size() < 800);
  return 0;
}
