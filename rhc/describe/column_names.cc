#include "rhc/describe/column_names.h"

#include <fmt/format.h>

#include <map>

namespace rhc {

namespace {

// Names by what they stand for.
class Names {
 public:
  void take(const std::string& name, const std::string& meaning, bool action, std::size_t at) {
    const auto [other, free] = taken_.emplace(name, meaning);
    if (!free && !clash_)
      clash_ = {action, at,
                fmt::format("'{}' would head two columns, of {} and of {}; choose another name",
                            name, other->second, meaning)};
  }

  const std::optional<NameClash>& clash() const { return clash_; }

 private:
  std::map<std::string, std::string> taken_;
  std::optional<NameClash> clash_;
};

}  // namespace

std::optional<NameClash> name_clash(const SystemSpec& spec, const std::vector<Measure>& measures) {
  Names names;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const std::string& name = measures[i].quantity.name;
    const auto take = [&](const std::string& column, const char* what) {
      names.take(column, fmt::format("{} '{}'", what, name), false, i);
    };
    take(name, "the observation");
    take(name + "_low", "the band of");
    take(name + "_high", "the band of");
    for (int k = 0; k < (measures[i].angle ? 2 : 1); ++k, ++seen) {
      const std::string& observed = spec.observation[seen].name;
      if (measures[i].angle) take(observed, "the angle");
      take(observed + "_sd", "the deviation of");
    }
  }
  for (std::size_t i = 0; i < spec.action.size(); ++i) {
    const std::string& name = spec.action[i].name;
    names.take(name, fmt::format("the action '{}'", name), true, i);
  }
  for (std::size_t i = 0; i < spec.action.size(); ++i)
    for (const Quantity& observed : spec.observation) {
      const std::string& name = spec.action[i].name;
      names.take(fmt::format("gain_{}_{}", name, observed.name),
                 fmt::format("the gains of '{}'", name), true, i);
    }
  return names.clash();
}

}  // namespace rhc
