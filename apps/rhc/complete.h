// What a shell may complete a word to: from the tree of commands and the table of settings.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rhc::app {

struct Completion {
  std::string word, help;
};

struct Completions {
  enum class Also { nothing, files, directories };

  std::vector<Completion> words{};
  Also also = Also::nothing;  // what the shell itself knows to complete
};

// `words` are those after the program's name, up to the cursor. The last one, which may be empty,
// is to be completed.
Completions complete(const CLI::App& program, const std::vector<std::string>& words);

// The same for the shells: a line for each word, "WORD<TAB>HELP", and at last one of ":nothing",
// ":files" and ":directories".
std::string complete_lines(const CLI::App& program, const std::vector<std::string>& words);

// The beginning of a description: what comes before its example, in one line.
std::string first_sentence(const std::string& description);

}  // namespace rhc::app
