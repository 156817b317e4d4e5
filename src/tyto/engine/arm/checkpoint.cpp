// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/checkpoint.hpp"

#include <fmt/format.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/engine/run/place_error.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStateFormat = 2;  // of what worlds, predictors and protocols save

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  fs::rename(from, to, problem);
  if (problem) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be renamed to {}: {}", from.string(),
                                           to.string(), problem.message()));
  }
}

}  // namespace

void stamp(State& state) {
  state.set("format", kStateFormat);
  state.set("version", build_info().version);
}

void expect_stamp(const State& state, const fs::path& file) {
  const std::int64_t format = state.has("format") ? state.get<std::int64_t>("format") : 1;
  if (format != kStateFormat) {
    const std::string version =
        state.has("version") ? state.get<std::string>("version") : "before 0.2";
    throw PlaceError(
        PlaceProblem::other_format,
        fmt::format("{}: a state of format {}, written by Tyto {}; this program, {}, reads format "
                    "{}: go on with the version that wrote it, or start anew",
                    file.string(), format, version, build_info().version, kStateFormat));
  }
}

Checkpoint::Checkpoint(fs::path file) : file_(std::move(file)), before_(file_) {
  before_.replace_extension(".before.npz");
}

void Checkpoint::write(State state) {
  stamp(state);
  fs::path next = file_;
  next.replace_extension(".next.npz");
  write_archive(next, state);
  if (fs::exists(file_)) {
    move_file(file_, before_);
  }
  move_file(next, file_);
}

std::optional<State> Checkpoint::read(const Warn& warn) const {
  std::string damage;
  for (const fs::path& file : {file_, before_}) {
    if (!fs::exists(file)) {
      continue;
    }
    std::optional<State> state;
    try {
      state = read_archive(file);
    } catch (const Error& problem) {
      damage += (damage.empty() ? "" : "; ") + std::string(problem.what());
      continue;
    }
    expect_stamp(*state, file);
    if (!damage.empty()) {
      warn(fmt::format("{}; going on from the commit before it", damage));
      fs::remove(file_);  // else the next commit would keep it as the good one
    }
    return state;
  }
  if (!damage.empty()) {
    throw PlaceError(
        PlaceProblem::damaged,
        fmt::format("{}: no commit of this arm can be read, so it cannot be resumed", damage));
  }
  return {};
}

std::optional<State> Checkpoint::peek() const {
  for (const fs::path& file : {file_, before_}) {
    try {
      State state = read_archive(file);
      expect_stamp(state, file);
      return state;
    } catch (const Error&) {
      continue;  // being replaced just now, or damaged: `read` tells of it when the run goes on
    }
  }
  return {};
}

}  // namespace tyto
