// TOML files that describe a system.
#include "rhc/describe/system_file.h"
#include "tests/fuzz/input.h"

using namespace rhc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  refused_or([&] {
    const SystemFile file = parse_system(as_text(data, size), "system.toml", {});
    const SystemSpec& spec = file.system.spec();
    promised(spec.time_step > 0 && spec.horizon > 0);
    promised(file.system.observe(spec.start).allFinite());
    promised(file.measures.size() == spec.state.size());
  });
  return 0;
}
