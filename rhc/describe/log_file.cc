#include "rhc/describe/log_file.h"

#include <array>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/format/array_file.h"
#include "rhc/format/files.h"

namespace rhc {

namespace {

struct OtherFormat {
  std::string_view beginning, advice;
};

constexpr std::array kOthers = {
    OtherFormat{"\x89HDF",
                "this is HDF5, as MATLAB writes with -v7.3; save it by "
                "save('log.mat', ..., '-v7')"},
    OtherFormat{"MATLAB 7.3",
                "MATLAB wrote this with -v7.3; save it by save('log.mat', ..., '-v7')"},
    OtherFormat{"\x93NUMPY",
                "a single array has no names of columns; save them by numpy.savez('log.npz', "
                "time=..., angle=...)"},
    OtherFormat{"#ROSBAG",
                "this is a ROS bag; export its topics as CSV, such as by PlotJuggler or "
                "`rostopic echo -b FILE -p TOPIC`"},
    OtherFormat{"\x89MCAP", "this is a ROS bag; export its topics as CSV, such as by PlotJuggler"},
    OtherFormat{"SQLite format 3",
                "this is a ROS bag or another database; export its topics as CSV, "
                "such as by PlotJuggler"},
};

}  // namespace

std::string log_text(std::string bytes, const std::string& name) {
  if (is_npz(bytes)) return table_of(read_npz(bytes, name), name);
  if (is_mat(bytes)) return table_of(read_mat(bytes, name), name);
  for (const OtherFormat& other : kOthers)
    if (bytes.starts_with(other.beginning))
      throw InputError(name + ": " + std::string(other.advice));
  return bytes;
}

std::string read_log(const std::filesystem::path& file) {
  return log_text(read_input(file), file.string());
}

}  // namespace rhc
