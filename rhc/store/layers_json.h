// Layers of a network in JSON files: a list of {"weights", "phase"}.
#pragma once

#include "rhc/format/json.h"
#include "rhc/model/sine_layers.h"

namespace rhc {

Json layers_json(const SineLayers& layers);

// InputError where one does not fit what comes out of the one before, or there is none.
SineLayers layers_in(const JsonReader& reader, const char* key);

}  // namespace rhc
