// SPDX-License-Identifier: Apache-2.0
// tyto serve under load, beside the rates of the public server: one connection a request, rounds of
// 32 ids, posts of 32 rows with 31 columns that are on the disk when they are answered, a new
// session for every 20 requests. Also how soon the program is ready and what it holds when it does
// nothing. Usage: serve_load [seconds per load] [folder for data and results]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "usage.hpp"
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tyto/core/files/files.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 20;
constexpr int kRoundSize = 32;
constexpr int kClasses = 30;
const std::string kTest = "OND.0.1.1";

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void write_test(const fs::path& data) {
  const fs::path folder = data / "OND" / "image_classification";
  tyto::make_folder(folder);
  std::string truth = "id,detection,classification\n";
  for (int i = 0; i < kRounds * kRoundSize; ++i) {
    truth += fmt::format("image-{:06}.jpg,{},{}\n", i, i < 192 ? 0 : 1, i % kClasses);
  }
  tyto::write_file(folder / (kTest + "_single_df.csv"), truth);
  tyto::write_file(folder / (kTest + "_metadata.json"),
                   R"({"protocol": "OND", "known_classes": 30, "round_size": 32})");
}

std::string rows_of_round(int round) {
  std::string out;
  for (int i = 0; i < kRoundSize; ++i) {
    out += fmt::format("image-{:06}.jpg", round * kRoundSize + i);
    for (int c = 0; c < kClasses; ++c) {
      out += c == i % kClasses ? ",.71" : ",.01";
    }
    out += '\n';
  }
  return out;
}

class Served {
 public:
  Served(const fs::path& data, const fs::path& results) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) {
      std::abort();
    }
    const auto begin = Clock::now();
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::execl(TYTO_PROGRAM, TYTO_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data",
              data.c_str(), "--results", results.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    std::string line;
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) {
      line += c;
    }
    ready_ = milliseconds(Clock::now() - begin);
    ::close(ends[0]);
    port_ = static_cast<std::uint16_t>(std::atoi(line.c_str() + line.rfind(':') + 1));
  }

  ~Served() {
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }

  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  [[nodiscard]] double ready() const { return ready_; }

  [[nodiscard]] double processor_seconds() const {
    std::ifstream file(fmt::format("/proc/{}/stat", child_));
    std::string word;
    double ticks = 0;
    for (int i = 1; i <= 15 && file >> word; ++i) {
      ticks += i >= 14 ? std::atof(word.c_str()) : 0;
    }
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

  [[nodiscard]] double megabytes() const {  // resident, shared pages of libraries included
    std::ifstream status(fmt::format("/proc/{}/status", child_));
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) {
        return std::atof(line.c_str() + 6) / 1024;
      }
    }
    return 0;
  }

 private:
  pid_t child_ = 0;
  std::uint16_t port_ = 0;
  double ready_ = 0;
};

// One request on a connection of its own; the answer, or "" where there was none.
std::string request(std::uint16_t port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::string out;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size())) {
    char buffer[8192];
    for (ssize_t got = 0; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) {
      out.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(socket);
  return out;
}

std::string form(const std::string& target,
                 const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string body;
  for (const auto& [name, content] : parts) {
    body += fmt::format(
        "--b\r\nContent-Disposition: form-data; name=\"{0}\"; filename=\"{0}\"\r\n\r\n{1}\r\n",
        name, content);
  }
  body += "--b--\r\n";
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; "
      "boundary=b\r\nContent-Length: {}\r\n\r\n{}",
      target, body.size(), body);
}

std::string get(const std::string& target) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target);
}

std::string new_session(std::uint16_t port) {
  const auto answer = request(
      port, form("/session",
                 {{"test_ids", kTest + "\n"},
                  {"configuration", R"({"protocol": "OND", "novelty_detector_version": "load", )"
                                    R"("detection_threshold": 0.5})"}}));
  const auto at = answer.find("session_id\":\"");
  return at == answer.npos ? "" : answer.substr(at + 13, 36);
}

struct Load {
  const char* name;
  double public_rates[3];  // requests a second of the public server at 1, 4 and 16 clients
  std::function<std::string(const std::string& session, int round)> bytes;
};

struct Measured {
  double rate = 0, median = 0, tail = 0, count = 0;
  long failed = 0;
};

Measured run(std::uint16_t port, const Load& load, int clients, double seconds) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(clients));
  std::atomic<long> failed{0};
  std::vector<std::thread> threads;
  const auto begin = Clock::now();
  const auto end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      std::string session;
      for (int i = 0; Clock::now() < end; ++i) {
        if (i % kRounds == 0) {
          session = new_session(port);  // costs time, but is not counted as a request
        }
        const std::string bytes = load.bytes(session, i % kRounds);
        const auto start = Clock::now();
        const auto answer = request(port, bytes);
        times[static_cast<std::size_t>(client)].push_back(milliseconds(Clock::now() - start));
        failed += answer.starts_with("HTTP/1.1 200") ? 0 : 1;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  const double took = milliseconds(Clock::now() - begin) / 1000;
  std::vector<double> all;
  for (const auto& some : times) {
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  const auto at = [&](double share) {
    return all.empty() ? 0.0
                       : all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  return {static_cast<double>(all.size()) / took, at(0.5), at(0.99),
          static_cast<double>(all.size()), failed.load()};
}

// What one turn of the disk takes here, which bounds what waits for it.
double disk_turn(const fs::path& folder) {
  const fs::path path = folder / "turns";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const std::string block(1 << 20, '\0');
  std::vector<double> times;
  if (::write(file, block.data(), block.size()) > 0) {
    for (int i = 0; i < 60; ++i) {
      static_cast<void>(!::pwrite(file, "abcdefgh", 8, 4096 * i));
      const auto begin = Clock::now();
      ::fdatasync(file);
      times.push_back(milliseconds(Clock::now() - begin));
    }
  }
  ::close(file);
  fs::remove(path);
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

constexpr std::string_view kUsage =
    "serve_load [SECONDS [FOLDER]]\n"
    "Requests a second that the evaluation server answers, 5 seconds a load; prints Markdown.\n"
    "FOLDER, for temporary files, is the system's unless given.\n";

}  // namespace

int main(int argc, char** argv) {
  const int answered = tyto::answer_usage(argc, argv, kUsage);
  if (answered >= 0) {
    return answered;
  }
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const fs::path folder = fs::path(argc > 2 ? argv[2] : fs::temp_directory_path().string()) /
                          fmt::format("tyto_serve_load_{}", ::getpid());
  write_test(folder / "data");
  std::vector<std::string> rounds;
  for (int round = 0; round < kRounds; ++round) {
    rounds.push_back(rows_of_round(round));
  }
  const std::vector<Load> loads{
      {"GET dataset",
       {822, 647, 540},
       [](const std::string& session, int round) {
         return get(fmt::format("/session/dataset?session_id={}&test_id={}&round_id={}", session,
                                kTest, round));
       }},
      {"POST results",
       {718, 589, 540},
       [&](const std::string& session, int round) {
         return form(
             "/session/results",
             {{"test_identification",
               fmt::format("{{\"session_id\": \"{}\", \"test_id\": \"{}\", \"round_id\": {}, "
                           "\"result_types\": \"classification\"}}",
                           session, kTest, round)},
              {"classification_file", rounds[static_cast<std::size_t>(round)]}});
       }},
      {"GET metadata", {1392, 1125, 1076}, [](const std::string& session, int) {
         return get(fmt::format("/test/metadata?session_id={}&test_id={}", session, kTest));
       }}};
  {
    const Served served(folder / "data", folder / "results");
    fmt::print(
        "ready in {:.0f} ms, {:.1f} MB resident when idle; a turn of the disk: {:.2f} ms\n\n",
        served.ready(), served.megabytes(), disk_turn(folder));
    fmt::print(
        "| load | clients | requests/s | p50 ms | p99 ms | public requests/s | ratio | processor "
        "us each | failed |\n|---|---|---|---|---|---|---|---|---|\n");
    for (const auto& load : loads) {
      for (int which = 0; which < 3; ++which) {
        const int clients = which == 0 ? 1 : which == 1 ? 4 : 16;
        const double before = served.processor_seconds();
        const Measured got = run(served.port(), load, clients, seconds);
        const double each = 1e6 * (served.processor_seconds() - before) / std::max(got.count, 1.0);
        fmt::print("| {} | {} | {:.0f} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {:.0f} | {} |\n",
                   load.name, clients, got.rate, got.median, got.tail, load.public_rates[which],
                   got.rate / load.public_rates[which], each, got.failed);
        std::fflush(stdout);
      }
    }
    fmt::print("\n{:.1f} MB resident after it\n", served.megabytes());
  }
  fs::remove_all(folder);
}
