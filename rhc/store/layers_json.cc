#include "rhc/store/layers_json.h"

#include <fmt/format.h>

namespace rhc {

Json layers_json(const SineLayers& layers) {
  Json json = Json::array();
  for (const SineLayer& layer : layers)
    json.push_back({{"weights", matrix_json(layer.weights)}, {"phase", vector_json(layer.phase)}});
  return json;
}

SineLayers layers_in(const JsonReader& reader, const char* key) {
  SineLayers layers;
  const Index count = reader.size(key);
  if (count == 0) reader.fail(fmt::format("\"{}\" is empty", key));
  for (Index l = 0; l < count; ++l) {
    const JsonReader one = reader.part(key, static_cast<std::size_t>(l));
    const Index width = one.size("phase");
    Index inputs = l > 0 ? layers.back().width() : 0;
    if (l == 0 && width > 0 && one.at("weights").is_array() && !one.at("weights").empty() &&
        one.at("weights")[0].is_array())
      inputs = static_cast<Index>(one.at("weights")[0].size());
    layers.push_back({one.matrix("weights", width, inputs), one.vector("phase", width)});
  }
  return layers;
}

}  // namespace rhc
