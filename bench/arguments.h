// What a benchmark was called with.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace rhc::bench {

struct Arguments {
  std::vector<std::string> names;     // words without a value, such as systems
  std::vector<std::string> settings;  // key=value, as for `rhc explore`
};

// Whole numbers of at least 1 go where `numbers` says for their key, such as "seeds".
inline Arguments read_arguments(int argc, char** argv, const std::map<std::string, int*>& numbers) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      arguments.names.push_back(word);
    else if (const auto number = numbers.find(word.substr(0, equals)); number != numbers.end())
      *number->second = std::max(1, std::atoi(word.c_str() + equals + 1));
    else
      arguments.settings.push_back(word);
  }
  return arguments;
}

}  // namespace rhc::bench
