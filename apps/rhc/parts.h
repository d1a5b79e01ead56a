// What this rhc can do here: the parts that it was built with, and what it finds on this machine.
#pragma once

#include <string>
#include <vector>

namespace rhc::app {

struct Part {
  enum class State { there, missing, broken };

  std::string name;
  State state;
  std::string what;   // which one, or what is wrong with it
  std::string needs;  // what needs it
  std::string how{};  // to get it; empty where it is there
};

// "rhc 0.1.0 (1234567)" and, in a second line, "x86-64-v3, with MuJoCo 3.17.0, LibTorch, reports".
std::string version_text();

std::vector<Part> parts();

}  // namespace rhc::app
