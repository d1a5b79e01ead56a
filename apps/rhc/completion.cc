#include <fmt/format.h>

#include <cstddef>
#include <memory>

#include "apps/rhc/commands.h"
#include "rhc/core/embed.h"

RHC_EMBED(rhc_for_bash, RHC_SHELLS "/rhc.bash");
RHC_EMBED(rhc_for_zsh, RHC_SHELLS "/_rhc");
RHC_EMBED(rhc_for_fish, RHC_SHELLS "/rhc.fish");

namespace rhc::app {

void add_completion(CLI::App& program, int&) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "completion",
      "Print what makes a shell complete commands, options, settings and systems; where rhc was\n"
      "installed, its shells know it already\n"
      "Example: eval \"$(rhc completion bash)\"\n"
      "         rhc completion fish > ~/.config/fish/completions/rhc.fish");
  command->add_option("shell", *shell, "Whose shell")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  command->callback([shell] {
    const auto text = [](const char* begin, const char* end) {
      return std::string_view(begin, static_cast<std::size_t>(end - begin));
    };
    fmt::print("{}", *shell == "bash"  ? text(rhc_for_bash_begin, rhc_for_bash_end)
                     : *shell == "zsh" ? text(rhc_for_zsh_begin, rhc_for_zsh_end)
                                       : text(rhc_for_fish_begin, rhc_for_fish_end));
  });
}

}  // namespace rhc::app
