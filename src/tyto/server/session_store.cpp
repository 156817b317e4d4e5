// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/session_store.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>
#include <sys/stat.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/server/change_journal.hpp"

namespace tyto {

namespace fs = std::filesystem;

namespace store_detail {  // a member's type may not be of an unnamed namespace

struct StateFile {
  std::array<std::int64_t, 4> mark{};  // time, size and number; all zero: there is no file
  std::string digest;
  nlohmann::ordered_json content = nlohmann::ordered_json::object();
};

}  // namespace store_detail

using store_detail::StateFile;

namespace {

using Json = nlohmann::ordered_json;
using sail_on::Refused;

constexpr std::size_t kMostRemembered = 4096;  // state files kept in memory
constexpr std::size_t kTurns = 1024;           // locks shared by all tests, and by all sessions

std::array<std::int64_t, 4> file_mark(const fs::path& path) {
  struct stat found {};

  if (::stat(path.c_str(), &found) != 0) {
    return {};
  }
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size,
          static_cast<std::int64_t>(found.st_ino)};
}

std::string text_digest(const std::string& text) {
  return digest(std::as_bytes(std::span(text)));
}

std::string new_session_id() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ErrorKind::io, "the system has no random numbers for a session's id");
  }
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);  // UUID of version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  }
  return out;
}

Refused unknown_session(const std::string& id) {
  return {
      400, "session_id_invalid",
      fmt::format("Provided session id {:.100} could not be found or was improperly set up", id)};
}

}  // namespace

class SessionStore::Impl {
 public:
  explicit Impl(fs::path folder) : folder_(std::move(folder)), journal_(made(folder_)) {}

  [[nodiscard]] const fs::path& folder() const { return folder_; }

  // The file as it is now; the one in memory if it has not changed.
  std::shared_ptr<const StateFile> read(const std::string& name) {
    const auto mark = file_mark(folder_ / name);
    if (mark == std::array<std::int64_t, 4>{}) {
      return std::make_shared<const StateFile>();
    }
    {
      const std::lock_guard guard(mutex_);
      const auto found = remembered_.find(name);
      if (found != remembered_.end() && found->second->mark == mark) {
        return found->second;
      }
    }
    auto file = std::make_shared<StateFile>();
    file->mark = mark;
    const std::string text = read_file(folder_ / name);
    file->digest = text_digest(text);
    file->content = Json::parse(text, nullptr, false);
    if (!file->content.is_object()) {
      throw Refused(500, "<class 'JSONDecodeError'>",
                    fmt::format("the state file {} is not a JSON object", name));
    }
    remember(name, file);
    return file;
  }

  [[nodiscard]] FileChange replacing(const std::string& name, const StateFile& before,
                                     const Json& after) const {
    return {FileChange::Kind::replace, name,
            after.dump(2, ' ', true, Json::error_handler_t::replace), 0, before.digest};
  }

  void apply(const std::vector<FileChange>& changes, bool lasting) {
    journal_.apply(changes, lasting);
  }

  // Keeps what was just written, so that the next request need not read it.
  void remember_written(const FileChange& change, Json content) {
    auto file = std::make_shared<StateFile>();
    file->mark = file_mark(folder_ / change.path);
    file->digest = text_digest(change.text);
    file->content = std::move(content);
    remember(change.path, std::move(file));
  }

  std::mutex& turn_of_test(std::string_view name) { return test_turns_[turn(name)]; }

  std::mutex& turn_of_session(std::string_view name) { return session_turns_[turn(name)]; }

 private:
  static const fs::path& made(const fs::path& folder) {
    make_folder(folder);
    return folder;
  }

  static std::size_t turn(std::string_view name) {
    return std::hash<std::string_view>()(name) % kTurns;
  }

  void remember(const std::string& name, std::shared_ptr<const StateFile> file) {
    const std::lock_guard guard(mutex_);
    if (remembered_.size() >= kMostRemembered) {
      remembered_.clear();
    }
    remembered_[name] = std::move(file);
  }

  fs::path folder_;
  ChangeJournal journal_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const StateFile>> remembered_;
  std::array<std::mutex, kTurns> test_turns_, session_turns_;
};

SessionStore::SessionStore(fs::path folder) : impl_(std::make_unique<Impl>(std::move(folder))) {}

SessionStore::~SessionStore() = default;

std::string SessionStore::create(const SessionConfiguration& configuration) {
  const std::string id = new_session_id();
  Json content = new_session_state(configuration);
  const FileChange change = impl_->replacing(id + ".json", {}, content);
  impl_->apply({change}, true);
  impl_->remember_written(change, std::move(content));
  return id;
}

std::optional<SessionState> SessionStore::session(const std::string& id) const {
  const auto file = impl_->read(id + ".json");
  SessionState out = read_session(file->content);
  return out.created || out.ended ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<std::string> SessionStore::sessions() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(impl_->folder())) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && entry.is_regular_file()) {
      const std::string id = name.substr(0, name.size() - 5);
      try {
        if (const auto state = session(id); state && state->created) {
          out.push_back(id);
        }
      } catch (const Error&) {  // a file of somebody else's that is no state
        continue;
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

void SessionStore::change_session(const std::string& id, const SessionChange& change) {
  const std::lock_guard guard(impl_->turn_of_session(id));
  const auto before = impl_->read(id + ".json");
  const SessionState state = read_session(before->content);
  if (!state.created && !state.ended) {
    throw unknown_session(id);
  }
  Json content = before->content;
  if (change(state, content)) {
    const FileChange written = impl_->replacing(id + ".json", *before, content);
    impl_->apply({written}, true);
    impl_->remember_written(written, std::move(content));
  }
}

SessionStore::HeldTest SessionStore::hold(const std::string& session, const SessionState& state,
                                          const std::string& test) {
  return {*impl_, session, state, test};
}

std::optional<TestState> SessionStore::test(const std::string& session,
                                            const std::string& test) const {
  const auto file = impl_->read(fmt::format("{}.{}.json", session, test));
  return file->digest.empty() ? std::nullopt : std::optional(read_test_state(file->content));
}

std::vector<std::pair<std::string, std::string>> SessionStore::files(
    const std::string& session, const std::vector<std::string>& tests) const {
  std::vector<std::pair<std::string, std::string>> out;
  const std::string begin = session + ".";
  const auto wanted = [&](const std::string& name, char after) {
    return std::any_of(tests.begin(), tests.end(), [&](const std::string& test) {
      return name.substr(begin.size()).starts_with(test + after);
    });
  };
  const fs::path& root = impl_->folder();
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && name.starts_with('.')) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file() && name.starts_with(begin)) {
      const bool whole = name == session + ".json";
      const bool state = name.ends_with(".json");
      if (whole || ((state || name.ends_with(".csv")) &&
                    (tests.empty() || wanted(name, state ? '.' : '_')))) {
        out.emplace_back(fs::relative(at->path(), root).string(), read_file(at->path()));
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

SessionStore::HeldTest::HeldTest(Impl& store, std::string session, const SessionState& state,
                                 std::string test)
    : store_(store),
      turn_(store.turn_of_test(session + "." + test)),
      session_(std::move(session)),
      test_(std::move(test)),
      folder_(state.protocol + "/" + state.domain) {
  const auto file = store_.read(fmt::format("{}.{}.json", session_, test_));
  exists_ = !file->digest.empty();
  state_ = read_test_state(file->content);
}

std::string SessionStore::HeldTest::result_path(const std::string& type) const {
  return fmt::format("{}/{}.{}_{}.csv", folder_, session_, test_, type);
}

std::string SessionStore::HeldTest::told_path() const {
  return fmt::format("{}.{}.told", session_, test_);
}

// A file the state does not name was left behind when the test began anew, and counts as empty.
std::uint64_t SessionStore::HeldTest::result_size(const std::string& type) const {
  const bool named =
      std::find(state_.types.begin(), state_.types.end(), type) != state_.types.end();
  return named ? static_cast<std::uint64_t>(file_mark(store_.folder() / result_path(type))[2]) : 0;
}

std::string SessionStore::HeldTest::last_byte(const std::string& type) const {
  std::ifstream file(store_.folder() / result_path(type), std::ios::binary);
  file.seekg(-1, std::ios::end);
  return {static_cast<char>(file.get())};
}

std::optional<std::string> SessionStore::HeldTest::rows(const std::string& type) const {
  const fs::path path = store_.folder() / result_path(type);
  const bool named =
      std::find(state_.types.begin(), state_.types.end(), type) != state_.types.end();
  return named && file_mark(path) != decltype(file_mark(path)){} ? std::optional(read_file(path))
                                                                 : std::nullopt;
}

void SessionStore::HeldTest::request_round(std::int64_t round) {
  const std::string name = fmt::format("{}.{}.json", session_, test_);
  const auto before = store_.read(name);
  const bool anew = round == 0 && exists_;
  Json content = anew ? Json::object() : before->content;
  note_data_request(content, round);
  std::vector<FileChange> changes;
  if (anew) {
    const std::string begin = fmt::format("{}.{}_", session_, test_);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(store_.folder() / folder_, none)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(begin) && file.ends_with(".csv")) {
        changes.push_back({FileChange::Kind::remove, folder_ + "/" + file, "", 0, ""});
      }
    }
    changes.push_back({FileChange::Kind::remove, told_path(), "", 0, ""});
  }
  changes.push_back(store_.replacing(name, *before, content));
  store_.apply(changes, anew);
  store_.remember_written(changes.back(), std::move(content));
}

void SessionStore::HeldTest::post(std::int64_t round, std::span<const sail_on::ResultFile> files,
                                  sail_on::Form form) {
  sail_on::PostedResults posted = state_.posted;
  std::vector<std::uint64_t> ends;
  for (const auto& file : files) {
    ends.push_back(result_size(file.type));
    if (ends.back() > 0) {
      const auto types = posted.rounds.find(round);
      const bool again =
          types != posted.rounds.end() &&
          std::find(types->second.begin(), types->second.end(), file.type) != types->second.end();
      // Only a post that may be a repetition needs to know all that is there.
      posted.files[file.type] = again ? *rows(file.type) : last_byte(file.type);
    }
  }
  const auto added = added_by_post(posted, round, files, form);
  const std::string name = fmt::format("{}.{}.json", session_, test_);
  const auto before = store_.read(name);
  Json content = before->content;
  std::vector<FileChange> changes;
  std::vector<PostedType> types;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = result_path(files[i].type);
    if (!added[i].empty() || form == sail_on::Form::released) {
      changes.push_back({FileChange::Kind::append, path, added[i], ends[i], ""});
    }
    types.push_back({files[i].type, (store_.folder() / path).string()});
  }
  note_post(content, round, types);
  const bool nothing_new = changes.empty();
  changes.push_back(store_.replacing(name, *before, content));
  store_.apply(changes, !nothing_new);
  store_.remember_written(changes.back(), std::move(content));
}

std::optional<std::string> SessionStore::HeldTest::told_before(const std::string& question) const {
  const fs::path path = store_.folder() / told_path();
  if (question.empty() || file_mark(path) == decltype(file_mark(path)){}) {
    return {};
  }
  const Json told = Json::parse(read_file(path), nullptr, false);
  const auto found = told.is_object() ? told.find(question) : told.end();
  return found != told.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                   : std::nullopt;
}

void SessionStore::HeldTest::tell(std::string_view type, const sail_on::FeedbackAnswer& answer,
                                  const std::string& question) {
  const std::string name = fmt::format("{}.{}.json", session_, test_);
  const auto before = store_.read(name);
  Json content = before->content;
  note_feedback(content, answer.round, type, answer.charged, answer.budget, answer.points);
  std::vector<FileChange> changes{store_.replacing(name, *before, content)};
  if (!question.empty()) {
    const fs::path path = store_.folder() / told_path();
    const std::string text = file_mark(path) == decltype(file_mark(path)){} ? "" : read_file(path);
    Json told = Json::parse(text, nullptr, false);
    if (!told.is_object()) {
      told = Json::object();
    }
    told[question] = answer.lines;
    changes.push_back({FileChange::Kind::replace, told_path(), told.dump(), 0,
                       text.empty() ? "" : text_digest(text)});
  }
  store_.apply(changes, true);
  store_.remember_written(changes.front(), std::move(content));
  state_ = read_test_state(store_.read(name)->content);
}

void SessionStore::HeldTest::complete() {
  const std::lock_guard guard(store_.turn_of_session(session_));
  const std::string names[] = {fmt::format("{}.{}.json", session_, test_), session_ + ".json"};
  const auto test_before = store_.read(names[0]);
  const auto session_before = store_.read(names[1]);
  Json test = test_before->content;
  Json session = session_before->content;
  note_completion(test);
  note_completed_test(session, test_);
  const std::vector<FileChange> changes{store_.replacing(names[0], *test_before, test),
                                        store_.replacing(names[1], *session_before, session)};
  store_.apply(changes, true);
  store_.remember_written(changes[0], std::move(test));
  store_.remember_written(changes[1], std::move(session));
}

}  // namespace tyto
