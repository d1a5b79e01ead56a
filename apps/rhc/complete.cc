#include "apps/rhc/complete.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/text.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/explorer.h"
#include "rhc/run/evaluate_run.h"

namespace rhc::app {

namespace {

// The help option of every command asks for nothing more.
bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

const CLI::Option* option_called(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional() && option->check_name(word)) return option;
  return nullptr;
}

const CLI::App* command_called(const CLI::App& command, const std::string& word) {
  for (const CLI::App* sub : command.get_subcommands(nullptr))
    if (!sub->get_group().empty() && sub->get_name() == word) return sub;
  return nullptr;
}

// What has been typed before the word in question.
struct Typed {
  const CLI::App* command;
  const CLI::Option* option = nullptr;  // that waits for its value
  std::size_t positionals = 0;
  std::vector<std::string> keys{};  // of the settings
};

Typed typed(const CLI::App& program, const std::vector<std::string>& words) {
  Typed so_far{&program};
  for (const std::string& word : words) {
    if (so_far.option) {
      so_far.option = nullptr;
    } else if (word.starts_with('-') && word.size() > 1) {
      const CLI::Option* option = option_called(*so_far.command, word);
      if (option && takes_value(*option)) so_far.option = option;
    } else if (const CLI::App* sub = command_called(*so_far.command, word);
               sub && so_far.positionals == 0) {
      so_far.command = sub;
    } else {
      ++so_far.positionals;
      if (word.find('=') != std::string::npos)
        so_far.keys.push_back(word.substr(0, word.find('=')));
    }
  }
  return so_far;
}

// Settings that were not given yet; with a key, what may stand behind it.
std::vector<Completion> settings_for(const Typed& before, std::string_view word) {
  std::vector<std::string> possible;
  if (before.command->get_name() == "evaluate") possible = evaluation_settings();
  const std::string_view key = word.substr(0, word.find('='));
  std::vector<Completion> all;
  for (const Setting& setting : settings()) {
    if (!possible.empty() && std::ranges::find(possible, setting.key) == possible.end()) continue;
    if (key.size() == word.size()) {
      if (std::ranges::find(before.keys, setting.key) == before.keys.end())
        all.push_back({setting.key + "=", setting.help});
    } else if (key == setting.key) {
      for (const std::string& value : setting.key == "method" ? method_names() : setting.words)
        all.push_back({setting.key + "=" + value, setting.help});
    }
  }
  return all;
}

std::vector<Completion> without_help(const std::vector<std::string>& words) {
  std::vector<Completion> all;
  for (const std::string& word : words) all.push_back({word, ""});
  return all;
}

// What an option or a positional takes, by what its help calls it.
Completions values_of(const CLI::Option& option, const Typed& before, std::string_view word) {
  using Also = Completions::Also;
  const std::string type = option.get_type_name();
  // "FORMAT:{csv,npz}"
  if (const auto from = type.find('{'); from != std::string::npos && type.ends_with('}')) {
    std::vector<std::string> choices;
    for (const std::string_view choice :
         split(std::string_view(type).substr(from + 1, type.size() - from - 2), ','))
      choices.emplace_back(choice);
    return {without_help(choices)};
  }
  if (type == "METHOD") return {without_help(method_names())};
  if (type == "PRESET") return {without_help(preset_names())};
  if (type == "SYSTEM") return {without_help(bundled_names()), Also::files};
  if (type == "KEY=VALUE") return {settings_for(before, word)};
  if (type == "FILE" || type == "PROGRAM" || type == "PLANT") return {{}, Also::files};
  if (type == "RUN" || type == "DIR") return {{}, Also::directories};
  return {};
}

std::vector<Completion> options_of(const CLI::App& command) {
  std::vector<Completion> all;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional())
      for (const std::string& name : option->get_lnames())
        all.push_back({"--" + name, first_sentence(option->get_description())});
  return all;
}

}  // namespace

std::string first_sentence(const std::string& description) {
  std::string line = description.substr(0, description.find("\nExample"));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

Completions complete(const CLI::App& program, const std::vector<std::string>& words) {
  const std::string word = words.empty() ? "" : words.back();
  const Typed before =
      typed(program, {words.begin(), words.end() - static_cast<std::ptrdiff_t>(!words.empty())});
  Completions found;
  const auto equals = word.find('=');
  if (before.option) {
    found = values_of(*before.option, before, word);
  } else if (word.starts_with("--") && equals != std::string::npos) {
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = option_called(*before.command, name);
    if (option && takes_value(*option)) found = values_of(*option, before, word.substr(equals + 1));
    for (Completion& one : found.words) one.word = name + "=" + one.word;
  } else if (word.starts_with('-')) {
    found.words = options_of(*before.command);
  } else {
    const auto positionals = positionals_of(*before.command);
    if (before.positionals == 0)
      for (const CLI::App* sub : before.command->get_subcommands(nullptr))
        if (!sub->get_group().empty())
          found.words.push_back({sub->get_name(), first_sentence(sub->get_description())});
    if (!positionals.empty()) {
      // The last one may take many.
      const CLI::Option* const last = positionals.back();
      const bool more = before.positionals < positionals.size();
      if (more || last->get_items_expected_max() > 1) {
        Completions values =
            values_of(more ? *positionals[before.positionals] : *last, before, word);
        found.words.insert(found.words.end(), values.words.begin(), values.words.end());
        found.also = values.also;
      }
    }
    if (found.words.empty() && found.also == Completions::Also::nothing)
      found.words = options_of(*before.command);
  }
  std::erase_if(found.words, [&](const Completion& one) { return !one.word.starts_with(word); });
  return found;
}

std::string complete_lines(const CLI::App& program, const std::vector<std::string>& words) {
  const Completions found = complete(program, words);
  std::string lines;
  for (const Completion& one : found.words) lines += one.word + "\t" + one.help + "\n";
  return lines + (found.also == Completions::Also::files         ? ":files\n"
                  : found.also == Completions::Also::directories ? ":directories\n"
                                                                 : ":nothing\n");
}

}  // namespace rhc::app
