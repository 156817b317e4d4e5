// SPDX-License-Identifier: Apache-2.0
// What an arm leaves besides its record, in a folder of its own until the run is collected. Lines
// of CSV without their head; the arm's name stands in each.
#pragma once

#include <string>
#include <vector>

#include "tyto/record/run_folder.hpp"

namespace tyto {

struct ArmNotes {
  static constexpr std::string_view kAlarmColumns =
      "arm,increment,samples,log_evidence,changed,since,kind,novel_share\n";
  static constexpr std::string_view kDiscoveryColumns = "arm,class,found,origin,retired,into,why\n";
  static constexpr std::string_view kCalibrationColumns = "arm,parameter,epoch,value\n";
  // Rows of a class have the first six; the last row of an increment, without a class, tells of all
  // parts.
  static constexpr std::string_view kMemoryColumns =
      "arm,increment,class,samples,frames,bytes,frames_shown,share,budget,unit,frames_each,drift\n";
  static constexpr std::string_view kTimeColumns =
      "arm,commit,increment,seconds,learn,predict,other,anonymous_mb,mapped_mb\n";

  std::string alarms, discoveries, calibration, memory, limits;  // lines
  std::string times;                  // lines; the one fact that differs from run to run
  std::string properties;             // JSON object
  std::vector<std::string> cautions;  // what it cannot promise
  std::vector<std::string> warnings;  // what went wrong and was mended
  std::vector<std::string> remarks;   // what it came to, for people
};

void write_arm_notes(const RunFolder& folder, std::string_view arm, const ArmNotes& notes);
ArmNotes read_arm_notes(const RunFolder& folder, std::string_view arm);

// None while the arm is under way.
std::vector<std::string> read_cautions(const RunFolder& folder, std::string_view arm);

// Seconds are written as they come, for those who look on.
std::filesystem::path arm_times_file(const RunFolder& folder, std::string_view arm);

// times.csv of the arms so far.
std::string joined_times(const RunFolder& folder, const std::vector<std::string>& arms);

}  // namespace tyto
