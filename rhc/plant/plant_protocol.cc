#include "rhc/plant/plant_protocol.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cctype>
#include <climits>
#include <cmath>
#include <sstream>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/format/json.h"
#include "rhc/format/json_depth.h"

namespace rhc {

namespace {

constexpr int kDeepest = 8;
constexpr std::size_t kLongestExcerpt = 120, kLongestReason = 300;

std::string beginning(std::string_view text, std::size_t longest) {
  return on_one_line(text.substr(0, longest)) + (text.size() > longest ? "..." : "");
}

std::string request(const char* type, int id, const Json& more = Json::object()) {
  Json json = {{"type", type}, {"id", id}};
  json.update(more);
  return json.dump();
}

// An answer, to whatever request.
Json parse_object(std::string_view line) {
  Json json;
  if (json_depth(line) > kDeepestJson)
    throw InputError("something that is nested too deep: " + excerpt(line));
  try {
    json = Json::parse(line);
  } catch (const Json::exception&) {
    // Python writes what is no number this way, and JSON knows no such word.
    for (const char* word : {"NaN", "Infinity"})
      if (line.find(word) != std::string_view::npos)
        throw InputError(fmt::format("{} among its numbers: {}", word, excerpt(line)));
    throw InputError(fmt::format(
        "not a JSON object, but {} (standard output is for answers only; anything else belongs on "
        "standard error)",
        excerpt(line)));
  }
  if (!json.is_object()) throw InputError("not a JSON object, but " + excerpt(line));
  if (const auto error = json.find("error"); error != json.end())
    throw InputError("an error: " + excerpt(error->is_string()
                                                ? error->get_ref<const std::string&>()
                                                : dump_any(*error)));
  return json;
}

// The answer to the request with this number.
Json parse_answer(std::string_view line, int id) {
  Json json = parse_object(line);
  if (const auto echo = json.find("id"); echo != json.end() && *echo != Json(id))
    throw InputError(fmt::format("the answer to request {}, where request {} was waiting",
                                 excerpt(dump_any(*echo)), id));
  return json;
}

// JSON as TOML has it. A null stands for no bound: minus infinity as a first entry, else plus.
class ToToml {
 public:
  toml::table table(const Json& json, const std::string& path, int depth) const {
    if (depth > kDeepest)
      throw InputError(fmt::format("its system: {} is nested too deep", excerpt(path)));
    toml::table result;
    for (const auto& item : json.items()) {
      const std::string& key = item.key();
      add(item.value(), path.empty() ? key : path + "." + key, depth,
          [&](auto&& node) { result.insert_or_assign(key, std::forward<decltype(node)>(node)); });
    }
    return result;
  }

 private:
  toml::array array(const Json& json, const std::string& path, int depth) const {
    if (depth > kDeepest)
      throw InputError(fmt::format("its system: {} is nested too deep", excerpt(path)));
    toml::array result;
    for (const Json& item : json)
      if (item.is_null())
        result.push_back(result.empty() ? -kInfinity : kInfinity);
      else
        add(item, path, depth,
            [&](auto&& node) { result.push_back(std::forward<decltype(node)>(node)); });
    return result;
  }

  template <class Put>
  void add(const Json& json, const std::string& path, int depth, const Put& put) const {
    if (json.is_object())
      put(table(json, path, depth + 1));
    else if (json.is_array())
      put(array(json, path, depth + 1));
    else if (json.is_string())
      put(json.get<std::string>());
    else if (json.is_boolean())
      put(json.get<bool>());
    else if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
      put(json.get<double>());
    else if (json.is_number_integer())
      put(json.get<std::int64_t>());
    else if (json.is_number())
      put(json.get<double>());
    else
      throw InputError(fmt::format("its system: {} is null", excerpt(path)));
  }
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// How often a line has a key like "stop", however it is quoted or spelled.
int stops_in(std::string_view line) {
  const std::string text = lower_case(line);
  int count = 0;
  for (auto at = text.find("stop"); at != std::string::npos; at = text.find("stop", at + 4)) {
    const auto colon = text.find_first_not_of(" \t", at + 5);
    const auto is_quote = [&](std::size_t i) {
      return i < text.size() && (text[i] == '"' || text[i] == '\'');
    };
    if (at > 0 && is_quote(at - 1) && is_quote(at + 4) && colon != std::string::npos &&
        text[colon] == ':')
      ++count;
  }
  return count;
}

bool has_other_case(const Json& json) {
  for (const auto& [key, value] : json.items())
    if (lower_case(key) == "stop") return true;
  return false;
}

}  // namespace

std::string hello_request(int id) {
  return request("hello", id, {{"protocol", kPlantProtocol}, {"rhc", version()}});
}

std::string reset_request(int id, const Vector& start) {
  return request("reset", id, {{"start", vector_json(start)}});
}

std::string step_request(int id, const Vector& action) {
  return request("step", id, {{"action", vector_json(action)}});
}

std::string close_request(int id) { return request("close", id); }

std::string parse_hello(std::string_view line, int id) {
  const Json json = parse_answer(line, id);
  const auto protocol = json.find("protocol");
  if (protocol == json.end() || !protocol->is_number_integer())
    throw InputError(fmt::format("no \"protocol\": {} in {}", kPlantProtocol, excerpt(line)));
  if (*protocol != Json(kPlantProtocol))
    throw InputError(fmt::format("protocol {}, this program speaks protocol {}",
                                 excerpt(dump_any(*protocol)), kPlantProtocol));
  const auto system = json.find("system");
  if (system == json.end() || system->is_null()) return "";
  if (!system->is_object()) throw InputError("a \"system\" that is not an object");
  std::ostringstream text;
  text << ToToml().table(*system, "", 0) << '\n';
  return text.str();
}

Vector parse_observation(std::string_view line, int id, Index size) {
  const Json json = parse_answer(line, id);
  const auto list = json.find("observation");
  if (list == json.end())
    throw InputError(fmt::format("no \"observation\", but {}", excerpt(line)));
  if (!list->is_array())
    throw InputError("an \"observation\" that is not a list: " + excerpt(dump_any(*list)));
  if (list->size() != static_cast<std::size_t>(size))
    throw InputError(fmt::format("{} observation{} instead of {}", list->size(),
                                 list->size() == 1 ? "" : "s", size));
  Vector observation(size);
  for (Index i = 0; i < size; ++i) {
    const Json& value = (*list)[static_cast<std::size_t>(i)];
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      throw InputError(
          fmt::format("an observation that is not a finite number: {}", excerpt(dump_any(value))));
    observation[i] = value.get<double>();
  }
  return observation;
}

bool parse_ended(std::string_view line, int id) {
  const Json json = parse_answer(line, id);
  const auto ended = json.find("ended");
  if (ended == json.end() || ended->is_null()) return false;
  if (!ended->is_boolean())
    throw InputError("an \"ended\" that is neither true nor false: " + excerpt(dump_any(*ended)));
  return ended->get<bool>();
}

std::optional<int> parse_id(std::string_view line) {
  const Json json = parse_object(line);
  const auto id = json.find("id");
  if (id == json.end()) return std::nullopt;
  if (!id->is_number_integer() || *id < 0 || *id > INT_MAX)
    throw InputError("an \"id\" that is no number of a request: " + excerpt(dump_any(*id)));
  return id->get<int>();
}

bool says_error(std::string_view line) {
  if (json_depth(line) > kDeepestJson) return false;
  const Json json = Json::parse(line, nullptr, false);
  return json.is_object() && json.contains("error");
}

std::optional<std::string> stop_in(std::string_view lines) {
  for (const std::string_view line : split(lines, '\n')) {
    const int said = stops_in(line);
    if (said == 0) continue;
    const bool shallow = json_depth(line) <= kDeepestJson;
    const Json json = shallow ? Json::parse(line, nullptr, false) : Json();
    // Who says something of a stop that cannot be understood is taken at that word.
    if (!json.is_object() || said > 1 || (!json.contains("stop") && has_other_case(json)))
      return fmt::format("it said {}", excerpt(printable(line)));
    const auto stop = json.find("stop");
    // A plant may say all the time that it need not stop.
    if (stop == json.end() || stop->is_null() || *stop == Json(false)) continue;
    const std::string why = stop->is_string() ? stop->get<std::string>() : dump_any(*stop);
    if (*stop == Json(true) || trim(why).empty()) return "it does not say why";
    return beginning(trim(why), kLongestReason);
  }
  return std::nullopt;
}

std::string excerpt(std::string_view text) { return "'" + beginning(text, kLongestExcerpt) + "'"; }

std::string printable(std::string_view text) {
  // JSON's writer replaces what is no UTF-8.
  const Json valid = Json::parse(dump_any(Json(std::string(text))));
  std::string shown;
  for (const char c : valid.get_ref<const std::string&>()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool odd = (byte < ' ' && c != '\n') || byte == 127;
    shown += odd ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return shown;
}

std::string on_one_line(std::string_view text) {
  std::string shown;
  for (const char c : printable(text)) shown += c == '\n' ? std::string("\\n") : std::string(1, c);
  return shown;
}

}  // namespace rhc
