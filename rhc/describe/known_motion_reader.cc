#include "rhc/describe/known_motion_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/units.h"
#include "rhc/format/crc32.h"
#include "rhc/system/nominal.h"

namespace rhc {

namespace {

// Where a measure stands among the observations: itself, or the cosine and sine of an angle.
std::pair<Index, Index> place_of(const std::vector<Measure>& measures, std::size_t which) {
  Index at = 0;
  for (std::size_t i = 0; i < which; ++i) at += measures[i].angle ? 2 : 1;
  return {at, measures[which].angle ? at + 1 : -1};
}

// By which a speed of 1 changes the position in a second; an angle in radians.
double rate_in(const TomlReader& entry, const Measure& speed, const Measure& position) {
  const std::string& from = speed.quantity.unit;
  const std::string to =
      position.angle && position.quantity.unit.empty() ? "rad" : position.quantity.unit;
  if (from.empty() || to.empty()) return position.radians;
  const auto ratio = unit_ratio(from, to + "/s");
  if (!ratio)
    entry.fail("derivative_of", fmt::format("'{}' is in {}, which is no {} of '{}' in a second",
                                            speed.quantity.name, from, to, position.quantity.name));
  return *ratio * position.radians;
}

KnownMotion read_derivatives(TomlReader& file, const SystemSpec& spec,
                             const std::vector<Measure>& measures) {
  std::vector<Derivative> all;
  std::string words;
  const auto tables = file.tables("observation");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    TomlReader entry(*tables[i], file.file(), "an observation");
    const auto name = entry.text("derivative_of");
    if (!name) continue;
    const auto found = std::find_if(measures.begin(), measures.end(), [&](const Measure& other) {
      return other.quantity.name == *name;
    });
    if (found == measures.end())
      entry.fail("derivative_of", unknown_name("observation", *name, names_of(spec.state)));
    const auto of = static_cast<std::size_t>(found - measures.begin());
    if (measures[i].angle) entry.fail("derivative_of", "an angle cannot be a derivative");
    if (of == i)
      entry.fail("derivative_of", fmt::format("'{}' cannot be its own derivative", *name));
    const auto [at, sine] = place_of(measures, of);
    const Derivative one{place_of(measures, i).first, at, sine,
                         rate_in(entry, measures[i], measures[of])};
    for (const Derivative& other : all)
      if (other.position == one.position)
        entry.fail("derivative_of", fmt::format("'{}' has two derivatives", *name));
    all.push_back(one);
    words += fmt::format("{}'{}' is the derivative of '{}'", words.empty() ? "" : ", ",
                         measures[i].quantity.name, *name);
  }
  if (all.empty()) return {};
  KnownMotion known = kinematics(all, static_cast<Index>(spec.action.size()), spec.time_step);
  known.words = std::move(words);
  return known;
}

// A simulated system, of which the real one differs by what is learned.
KnownMotion read_nominal(const toml::table& table, const std::string& file, const SystemSpec& spec,
                         const std::filesystem::path& folder, std::vector<NamedFile>& named_files) {
  TomlReader entry(table, file, "[nominal]");
  entry.only({"system", "description"});
  const auto name = entry.text("system"), text = entry.text("description");
  if (name && text)
    entry.fail("description", "'system' names one and 'description' holds one: give one of them");
  if (!name && !text) entry.missing("system");
  entry.finish();
  try {
    if (name && !names_a_file(*name)) return nominal_motion(bundled_system(*name), spec);
    const SystemFile described =
        text ? parse_system(*text, "the nominal system", folder) : read_system_file(folder / *name);
    KnownMotion known = nominal_motion(described.system, spec);
    // Two files may have one name.
    known.words += fmt::format(" ({:08x})", crc32(described.text));
    if (name) named_files.push_back({table, "system", "description", described.text});
    return known;
  } catch (const InputError& error) {
    entry.fail(name ? "system" : "description", error.what());
  }
}

}  // namespace

KnownMotion read_known_motion(TomlReader& file, const SystemSpec& spec,
                              const std::vector<Measure>& measures,
                              const std::filesystem::path& folder,
                              std::vector<NamedFile>& named_files) {
  KnownMotion derivatives = read_derivatives(file, spec, measures);
  const toml::table* nominal = file.table("nominal");
  return nominal ? read_nominal(*nominal, file.file(), spec, folder, named_files) : derivatives;
}

}  // namespace rhc
