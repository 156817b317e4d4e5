// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/arm_notes.hpp"

#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end == text.npos ? text.size() : end + 1;
  }
  return lines;
}

}  // namespace

fs::path arm_times_file(const RunFolder& folder, std::string_view arm) {
  return folder.notes(arm) / "times.csv";
}

void write_arm_notes(const RunFolder& folder, std::string_view arm, const ArmNotes& notes) {
  const fs::path own = folder.notes(arm);
  make_folder(own);
  write_file(own / "alarms.csv", notes.alarms);
  write_file(own / "discoveries.csv", notes.discoveries);
  write_file(own / "calibration.csv", notes.calibration);
  write_file(own / "memory.csv", notes.memory);
  if (!notes.limits.empty()) {
    write_file(own / "limits.csv", notes.limits);
  }
  write_file(own / "properties.json", notes.properties);
  write_file(own / "cautions.txt", text_of(notes.cautions));
  write_file(own / "warnings.txt", text_of(notes.warnings));
  write_file(own / "remarks.txt", text_of(notes.remarks));
}

namespace {

// Empty where an arm ended before such a file was written.
std::string read_if_there(const fs::path& file) {
  return fs::exists(file) ? read_file(file) : std::string();
}

}  // namespace

std::vector<std::string> read_cautions(const RunFolder& folder, std::string_view arm) {
  return lines_of(read_if_there(folder.notes(arm) / "cautions.txt"));
}

ArmNotes read_arm_notes(const RunFolder& folder, std::string_view arm) {
  const fs::path own = folder.notes(arm);
  ArmNotes notes;
  notes.alarms = read_file(own / "alarms.csv");
  notes.discoveries = read_file(own / "discoveries.csv");
  notes.calibration = read_file(own / "calibration.csv");
  notes.memory = read_if_there(own / "memory.csv");
  notes.limits = read_if_there(own / "limits.csv");
  notes.properties = read_file(own / "properties.json");
  notes.cautions = read_cautions(folder, arm);
  notes.warnings = lines_of(read_file(own / "warnings.txt"));
  notes.remarks = lines_of(read_if_there(own / "remarks.txt"));
  notes.times = read_file(arm_times_file(folder, arm));
  return notes;
}

std::string joined_times(const RunFolder& folder, const std::vector<std::string>& arms) {
  std::string text(ArmNotes::kTimeColumns);
  for (const std::string& arm : arms) {
    if (const fs::path file = arm_times_file(folder, arm); fs::exists(file)) {
      text += read_file(file);
    }
  }
  return text;
}

}  // namespace tyto
