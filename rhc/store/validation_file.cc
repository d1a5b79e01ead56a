#include "rhc/store/validation_file.h"

#include <limits>

#include "rhc/core/error.h"
#include "rhc/format/json_checksum.h"

namespace rhc {

namespace {

// A forecast that ran away has no error: null in the file.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Json validation_json(const ValidationRecord& record) {
  const Validation& all = record.validation;
  const Index last = all.steps() - 1;
  Json observations = Json::object();
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const auto row = static_cast<Index>(i);
    observations[record.observations[i]] = {
        {"rmse", all.rmse(row, last)},
        {"coverage", all.coverage(row, last)},
        {"nothing_moves", all.nothing_moves(row, last)},
        {"by_step",
         {{"rmse", vector_json(all.rmse.row(row))},
          {"coverage", vector_json(all.coverage.row(row))},
          {"nothing_moves", vector_json(all.nothing_moves.row(row))}}}};
  }
  return {{"steps", all.steps()},
          {"points", all.points},
          {"observations", observations},
          {"transitions", record.transitions},
          {"logs", record.logs}};
}

std::string validation_text(const ValidationRecord& record) {
  Json json = {{"format", "rhc-validation"}, {"format_version", 1}};
  json.update(validation_json(record));
  seal(json);
  return dump_any(json, 1) + "\n";
}

ValidationRecord parse_validation(std::string_view text, const std::string& where) {
  const JsonReader reader(text, where);
  reader.check_format("rhc-validation", "a validation", 1);
  check_seal(reader);
  const Index steps = reader.count("steps", 1);
  ValidationRecord record;
  const Json& observations = reader.at("observations");
  if (!observations.is_object()) reader.fail("'observations' must be an object");
  const auto D = static_cast<Index>(observations.size());
  Validation& all = record.validation;
  all = {reader.count("points", 1), Matrix(D, steps), Matrix(D, steps), Matrix(D, steps)};
  Index row = 0;
  for (const auto& [name, values] : observations.items()) {
    const auto read = [&, &found = values](const char* key) -> Vector {
      if (!found.is_object() || !found.contains("by_step") || !found["by_step"].contains(key))
        reader.fail(std::string("'by_step' has no '") + key + "'");
      return reader.vector_of(found["by_step"][key], key, steps, kUnknown);
    };
    all.rmse.row(row) = read("rmse");
    all.coverage.row(row) = read("coverage");
    all.nothing_moves.row(row) = read("nothing_moves");
    record.observations.push_back(name);
    ++row;
  }
  record.transitions = reader.count("transitions", 0);
  for (const Json& log : reader.at("logs"))
    record.logs.push_back(log.is_string() ? log.get<std::string>() : "");
  return record;
}

}  // namespace rhc
