#include "apps/rhc/man_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/complete.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/format/files.h"

namespace rhc::app {

namespace {

// As roff prints it as it stands, and as it can be copied to a shell.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
    safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '\'' ? "\\(aq" : std::string(1, c);
  }
  return safe;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string section(const std::string& title) { return fmt::format(".SH {}\n", roff(title)); }

std::string entry(const std::string& term, const std::string& description) {
  return fmt::format(".TP\n{}\n{}\n", term, roff(description));
}

std::string typed_name(const CLI::App& command) {
  return command.get_parent() ? typed_name(*command.get_parent()) + " " + command.get_name()
                              : command.get_name();
}

// "TEXT:INT in [1 - 9]" is what it takes, and where it lies.
std::string term_of(const CLI::Option& option) {
  std::string names;
  if (option.get_positional()) {
    names = "\\fI" + roff(option.get_name(true)) + "\\fR";
  } else {
    for (const std::string& name : option.get_snames()) names += "\\fB\\-" + name + "\\fR, ";
    for (const std::string& name : option.get_lnames())
      names += "\\fB\\-\\-" + roff(name) + "\\fR, ";
    names.resize(names.size() - 2);
  }
  if (option.get_items_expected_max() == 0) return names;
  std::string type = option.get_type_name();
  if (const auto colon = type.find(":INT in "); colon != std::string::npos)
    type.erase(0, colon + 1);
  if (const auto colon = type.find(":FLOAT in "); colon != std::string::npos)
    type.erase(0, colon + 1);
  if (const auto colon = type.find(":{"); colon != std::string::npos) type.erase(0, colon + 1);
  if (option.get_positional() && type == upper(option.get_name(true))) return names;
  return names + " \\fI" + roff(type) + "\\fR";
}

std::string synopsis(const CLI::App& command) {
  std::string text = "\\fB" + roff(typed_name(command)) + "\\fR [\\fIOPTIONS\\fR]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    std::string name = "\\fI" + roff(option->get_name(true)) + "\\fR";
    if (option->get_items_expected_max() > 1) name += "...";
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  bool commands = false;
  for (const CLI::App* sub : command.get_subcommands(nullptr))
    commands = commands || !sub->get_group().empty();
  return text + (commands ? " \\fICOMMAND\\fR ...\n" : "\n");
}

// "Example: rhc a\n         rhc b" of a description.
std::string examples(const std::string& description) {
  const auto at = description.find("Example: ");
  if (at == std::string::npos) return "";
  std::string text = section("EXAMPLES") + ".nf\n";
  for (const std::string_view line :
       split(std::string_view(description).substr(at + std::string_view("Example: ").size()), '\n'))
    text += roff(trim(line)) + "\n";
  return text + ".fi\n";
}

constexpr char kExitStatus[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\ndone\n.TP\n1\nfailed\n.TP\n2\nwrong usage or input\n.TP\n3\nstopped by the plant\n"
    ".TP\n130\ninterrupted, with the state saved\n.TP\n141\nnobody reads the output any more\n";

void write_pages(const CLI::App& command, const std::filesystem::path& directory) {
  write_output(directory / (page_name(command) + ".1"), man_page(command));
  for (const CLI::App* sub : command.get_subcommands(nullptr))
    if (!sub->get_group().empty()) write_pages(*sub, directory);
}

}  // namespace

std::string page_name(const CLI::App& command) {
  std::string name = typed_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const CLI::App& command) {
  const std::string name = page_name(command), description = command.get_description();
  std::string page =
      fmt::format(".TH {} 1 \"\" \"rhc {}\" \"User Commands\"\n", roff(upper(name)), version());
  page += section("NAME") + roff(name) + " \\- " + roff(first_sentence(description)) + "\n";
  page += section("SYNOPSIS") + synopsis(command);
  std::string arguments, commands;
  std::map<std::string, std::string> groups;  // of options, by their titles
  for (const CLI::Option* option : command.get_options()) {
    const std::string text = entry(term_of(*option), option->get_description());
    if (option->get_positional())
      arguments += text;
    else if (!option->get_group().empty())
      groups[option->get_group()] += text;
  }
  for (const CLI::App* sub : command.get_subcommands(nullptr))
    if (!sub->get_group().empty())
      commands +=
          entry("\\fB" + roff(page_name(*sub)) + "\\fR(1)", first_sentence(sub->get_description()));
  if (!commands.empty()) page += section("COMMANDS") + commands;
  if (!arguments.empty()) page += section("ARGUMENTS") + arguments;
  page += section("OPTIONS") + groups["Options"];
  groups.erase("Options");
  for (const auto& [title, text] : groups) page += fmt::format(".SS {}\n", roff(title)) + text;
  page += kExitStatus + examples(description);
  if (command.get_parent())
    page += section("SEE ALSO") + "\\fB" + roff(page_name(*command.get_parent())) + "\\fR(1)\n";
  return page;
}

void add_man_pages(CLI::App& program, int&) {
  const auto directory = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("man-pages", "Write the pages of the manual");
  command->group("");  // for the installation, not in the help
  command->add_option("directory", *directory)->type_name("DIR")->required();
  command->callback([&program, directory] {
    make_directories(*directory);
    write_pages(program, *directory);
  });
}

}  // namespace rhc::app
