#include "rhc/store/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>

#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/format/json_checksum.h"

namespace rhc {

namespace {

constexpr int kManifestFormat = 1;

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

// Nothing else knows what stood there, so the words say what can be done without it.
InputError damaged(const InputError& error, const std::filesystem::path& path) {
  return InputError(fmt::format(
      "{}; the run's manifest is damaged: put a copy of it back, or repeat the run by `rhc explore "
      "--config {}` (a run of a sweep: by `rhc sweep FILE --retry`)",
      error.what(), (path.parent_path() / "config.toml").string()));
}

JsonReader open_manifest(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return {text, path.string()};
  } catch (const InputError& error) {
    throw damaged(error, path);
  }
}

void check_unchanged(const JsonReader& reader, const std::filesystem::path& path) {
  try {
    check_seal(reader);
  } catch (const InputError& error) {
    throw damaged(error, path);
  }
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Manifest new_manifest(const Config& config) {
  return {.rhc = version(),
          .commit = commit(),
          .compiler = __VERSION__,
          .cpu = cpu_name(),
          .system = config.system,
          .method = config.method,
          .seed = config.seed,
          .episodes = config.episodes,
          .started = utc_now()};
}

std::string manifest_json(const Manifest& manifest) {
  Json json = {
      {"format", "rhc-run"},
      {"format_version", kManifestFormat},
      {"rhc", manifest.rhc},
      {"commit", manifest.commit},
      {"compiler", manifest.compiler},
      {"cpu", manifest.cpu},
      {"system", manifest.system},
      {"method", manifest.method},
      {"seed", manifest.seed},
      {"episodes", manifest.episodes},
      {"episodes_done", manifest.episodes_done},
      {"status", manifest.status},
      {"started", manifest.started},
      {"ended", manifest.ended ? Json(*manifest.ended) : Json()},
      {"seconds", manifest.seconds},
      {"cpu_seconds", manifest.cpu_seconds},
      {"resumed", manifest.resumed},
  };
  if (manifest.metrics_checksum)
    json["metrics_checksum"] = checksum_text(*manifest.metrics_checksum);
  seal(json);
  return dump_any(json, 2) + "\n";
}

Manifest read_manifest(const std::filesystem::path& path) {
  const JsonReader reader = open_manifest(path);
  reader.check_format("rhc-run", "run's manifest", kManifestFormat);
  check_unchanged(reader, path);
  Manifest manifest{.rhc = reader.text("rhc"),
                    .commit = reader.has("commit") ? reader.text("commit") : "",
                    .compiler = reader.text("compiler"),
                    .cpu = reader.text("cpu"),
                    .system = reader.text("system"),
                    .method = reader.text("method"),
                    .episodes = static_cast<int>(reader.count("episodes", 0)),
                    .episodes_done = static_cast<int>(reader.count("episodes_done", 0)),
                    .status = reader.text("status"),
                    .started = reader.text("started"),
                    .seconds = reader.number("seconds"),
                    .cpu_seconds = reader.has("cpu_seconds") ? reader.number("cpu_seconds") : 0,
                    .resumed = static_cast<int>(reader.count("resumed", 0))};
  const Json& seed = reader.at("seed");
  if (!seed.is_number_unsigned()) reader.fail("\"seed\" must be a whole number not below 0");
  manifest.seed = seed.get<std::uint64_t>();
  if (!reader.at("ended").is_null()) manifest.ended = reader.text("ended");
  if (reader.has("metrics_checksum"))
    manifest.metrics_checksum = checksum_of(reader, reader.at("metrics_checksum"));
  return manifest;
}

}  // namespace rhc
