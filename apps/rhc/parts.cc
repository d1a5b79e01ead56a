#include "apps/rhc/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "rhc/core/instruction_set.h"
#include "rhc/core/real_time_priority.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/plant/process.h"
#include "rhc/report/page.h"
#include "rhc/report/pictures.h"
#include "rhc/system/mujoco_model.h"

namespace rhc::app {

namespace {

namespace fs = std::filesystem;
using enum Part::State;

// The path of a program that the shell would find; empty where there is none.
std::string program_called(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "", ':'))
    if (const fs::path file = fs::path(folder) / name; ::access(file.c_str(), X_OK) == 0)
      return file.string();
  return "";
}

// What is wrong, in the words of whoever tried; empty where nothing is.
std::string trouble_with(const std::function<void()>& attempt) {
  try {
    attempt();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

Part processor() {
  const std::string built = instruction_set(), here = processor_instruction_set();
  return {"processor", there,
          fmt::format("{} cores; this rhc was built for {}{}", std::thread::hardware_concurrency(),
                      built, built == here ? "" : ", and this processor has " + here),
          ""};
}

Part mujoco() {
  const std::string needs = "systems of MuJoCo models, such as acrobot";
  const std::string how = "`tools/setup mujoco`, then build rhc anew";
  if (!has_mujoco()) return {"MuJoCo", missing, "built without", needs, how};
  const std::string trouble = trouble_with(check_mujoco);
  if (!trouble.empty()) return {"MuJoCo", broken, trouble, needs, how};
  return {"MuJoCo", there, mujoco_version(), needs};
}

Part torch() {
  const std::string needs = "the methods max, sac-pe and sac-ig, and network_from";
  const std::string how = "`tools/setup torch`, then build rhc anew";
  if (!has_neural_module()) return {"LibTorch", missing, "built without", needs, how};
  const std::string trouble = trouble_with(check_neural_module);
  if (!trouble.empty()) return {"LibTorch", broken, trouble, needs, how};
  return {"LibTorch", there, kNeuralModule, needs};
}

Part reports() {
  const std::string needs = "`rhc report`, `rhc compare` and `rhc serve`";
  if (pages_available()) return {"reports", there, "built in", needs};
  return {"reports", missing, "built without", needs, "`npm ci --prefix web`, then build rhc anew"};
}

Part chromium() {
  const std::string needs = "charts as PNG files (--png)";
  std::string found;
  if (trouble_with([&] { found = find_chromium(); }).empty())
    return {"Chromium", there, found, needs};
  return {"Chromium", missing, "not found", needs, "`apt install chromium`"};
}

Part python() {
  const std::string needs = "`import rhc` in Python";
  const std::string how = "`pip install .` in the root of rhc's repository";
  const std::string found = program_called("python3");
  if (found.empty())
    return {"Python", missing, "no python3 found", needs,
            "`apt install python3-venv`, then " + how};
  constexpr double kSeconds = 20;
  const ProcessResult asked =
      run_process({found, "-c", "import rhc; print(rhc.__version__)"}, kSeconds);
  if (asked.code == 0)
    return {"Python", there, fmt::format("rhc {} for {}", trim(asked.out), found), needs};
  return {"Python", missing, fmt::format("{} has no package rhc", found), needs, how};
}

Part slurm() {
  const std::string needs = "`rhc sweep --launcher slurm`";
  const std::string found = program_called("sbatch");
  if (!found.empty()) return {"Slurm", there, found, needs};
  return {"Slurm", missing, "no sbatch found", needs, "ask who runs your cluster"};
}

Part real_time() {
  const std::string needs = "`rhc control` at hundreds of hertz";
  if (RealTimePriority().granted()) return {"real time", there, "priority granted", needs};
  return {"real time", missing, "priority not granted", needs,
          "a line `YOU - rtprio 20` in /etc/security/limits.conf, then log in anew"};
}

Part folder() {
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  if (error || ::access(here.c_str(), W_OK) != 0)
    return {"folder", broken, here + " cannot be written", "runs, which go into ./runs",
            "change to a folder of your own, or use --out"};
  const auto space = fs::space(here, error);
  constexpr double kGigabyte = 1e9;
  return {"folder", there,
          fmt::format("{} can be written{}", here,
                      error ? ""
                            : fmt::format(", {:.1f} GB are free",
                                          static_cast<double>(space.available) / kGigabyte)),
          "runs, which go into ./runs"};
}

}  // namespace

std::string version_text() {
  const std::string made_by = commit();
  std::vector<std::string> with;
  if (has_mujoco()) with.push_back("MuJoCo " + mujoco_version());
  if (has_neural_module()) with.emplace_back("LibTorch");
  if (pages_available()) with.emplace_back("reports");
  return fmt::format("rhc {}{}\n{}, {}", version(), made_by.empty() ? "" : " (" + made_by + ")",
                     instruction_set(),
                     with.empty() ? "without MuJoCo, LibTorch and reports"
                                  : fmt::format("with {}", fmt::join(with, ", ")));
}

std::vector<Part> parts() {
  return {processor(), folder(), reports(), mujoco(),   torch(),
          chromium(),  python(), slurm(),   real_time()};
}

}  // namespace rhc::app
