#include "rhc/evaluate/realaigym_score.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "rhc/format/csv_table.h"

namespace rhc {
namespace {

// Two swing-ups that its own simulator recorded (LICENSE-realaigym).
SwingUpRecord recorded(const char* file) {
  const CsvTable table(std::filesystem::path(RHC_TEST_DATA) / file);
  const Matrix rows = table.numbers({"time", "pos_meas1", "pos_meas2", "vel_meas1", "vel_meas2",
                                     "tau_con1", "tau_con2"});
  SwingUpRecord record;
  for (Index i = 0; i < rows.rows(); ++i) {
    record.time.push_back(rows(i, 0));
    record.motion.emplace_back(rows(i, 1), rows(i, 2), rows(i, 3), rows(i, 4));
    record.torques.emplace_back(rows(i, 5), rows(i, 6));
  }
  return record;
}
