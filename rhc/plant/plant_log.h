// What a plant writes to its standard error, and what becomes of it: the last of it in memory, all
// of it in a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace rhc {

class PlantLog {
 public:
  // What was heard before is added to this file, and all that comes. One that has grown long is put
  // aside as FILE.1, in place of the one before.
  void open(const std::filesystem::path& file);

  void add(std::string_view text);

  // The lines that the plant wrote last, each on a line of its own.
  std::string last_words() const;

 private:
  void write(std::string_view text);

  std::string tail_;
  std::filesystem::path file_;
  std::ofstream log_;
  std::uintmax_t size_ = 0;
};

}  // namespace rhc
