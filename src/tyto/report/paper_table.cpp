// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/paper_table.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/tables/long_table.hpp"

namespace tyto {

namespace {

std::string printed(double value) {
  return fmt::format("{:.3f}", value + 0.0);  // not -0.000
}

// Rows of one feedback level together.
std::vector<std::vector<const PaperRow*>> by_feedback(std::span<const PaperRow> rows) {
  std::vector<std::vector<const PaperRow*>> levels;
  for (const PaperRow& row : rows) {
    const auto level = std::find_if(levels.begin(), levels.end(), [&](const auto& others) {
      return others.front()->arm.feedback == row.arm.feedback;
    });
    if (level == levels.end()) {
      levels.push_back({&row});
    } else {
      level->push_back(&row);
    }
  }
  return levels;
}

// What is printed for the best of a column, "" if there is nothing to be better than.
std::string best_of(const std::vector<const PaperRow*>& level, std::size_t column) {
  std::optional<double> best;
  Index count = 0;
  for (const PaperRow* row : level) {
    const HeadlineNumber& number = row->arm.numbers[column];
    if (number.value && number.better != Better::neither) {
      const bool first = !best;
      const bool better = number.better == Better::higher ? *number.value > best.value_or(0.0)
                                                          : *number.value < best.value_or(0.0);
      best = first || better ? number.value : best;
      ++count;
    }
  }
  return count < 2 ? "" : printed(*best);
}

struct Markup {
  std::string (*text)(std::string_view);
  std::string_view bold, plain;  // with {} for the value
  std::string_view deviation, interval;
  std::string_view up, down;
};

const Markup kMarkdown{markdown_text, "**{}**", "{}", " ± {}", " \\[{}, {}\\]", " ↑", " ↓"};
const Markup kLatex{
    latex_text,     "\\textbf{{{}}}", "{}", " $\\pm$ {}", " {{\\scriptsize [{}, {}]}}",
    " $\\uparrow$", " $\\downarrow$"};

std::string value_text(const HeadlineNumber& number, const std::string& best,
                       const Markup& markup) {
  if (!number.value) {
    return "--";
  }
  const std::string value = printed(*number.value);
  std::string out = fmt::format(fmt::runtime(value == best ? markup.bold : markup.plain), value);
  if (number.deviation) {
    out += fmt::format(fmt::runtime(markup.deviation), printed(*number.deviation));
  } else if (number.low && number.high) {
    out += fmt::format(fmt::runtime(markup.interval), printed(*number.low), printed(*number.high));
  }
  return out;
}

using Lines = std::vector<std::vector<std::string>>;  // cells

std::vector<std::string> header_of(std::span<const PaperRow> rows, bool runs,
                                   const Markup& markup) {
  std::vector<std::string> out;
  if (runs) {
    out.emplace_back("run");
  }
  out.insert(out.end(), {"predictor", "feedback"});
  for (const HeadlineNumber& number : rows.front().arm.numbers) {
    out.push_back(markup.text(number.title) +
                  std::string(number.better == Better::higher  ? markup.up
                              : number.better == Better::lower ? markup.down
                                                               : ""));
  }
  return out;
}

Lines lines_of(const std::vector<const PaperRow*>& level, bool runs, const Markup& markup) {
  Lines lines;
  for (const PaperRow* row : level) {
    std::vector<std::string>& line = lines.emplace_back();
    if (runs) {
      line.push_back(markup.text(row->run));
    }
    line.push_back(markup.text(row->arm.predictor));
    line.push_back(markup.text(row->arm.feedback));
    for (std::size_t c = 0; c < row->arm.numbers.size(); ++c) {
      line.push_back(value_text(row->arm.numbers[c], best_of(level, c), markup));
    }
  }
  return lines;
}

bool of_several_runs(std::span<const PaperRow> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const PaperRow& row) { return row.run != rows.front().run; });
}

bool same_columns(const PaperRow& a, const PaperRow& b) {
  return std::equal(
      a.arm.numbers.begin(), a.arm.numbers.end(), b.arm.numbers.begin(), b.arm.numbers.end(),
      [](const HeadlineNumber& x, const HeadlineNumber& y) { return x.name == y.name; });
}

// Rows with the same numbers together: runs of other protocols show others.
std::vector<std::vector<PaperRow>> by_columns(std::span<const PaperRow> rows) {
  std::vector<std::vector<PaperRow>> tables;
  for (const PaperRow& row : rows) {
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& others) {
      return same_columns(others.front(), row);
    });
    if (table == tables.end()) {
      tables.push_back({row});
    } else {
      table->push_back(row);
    }
  }
  return tables;
}

std::string markdown(std::span<const PaperRow> rows, bool runs) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  const auto header = header_of(rows, runs, kMarkdown);
  std::string out = line(header);
  std::vector<std::string> sides(header.size(), "--:");
  std::fill_n(sides.begin(), runs ? 3 : 2, ":--");
  out += line(sides);
  for (const auto& level : by_feedback(rows)) {
    for (const auto& cells : lines_of(level, runs, kMarkdown)) {
      out += line(cells);
    }
  }
  return out;
}

std::string latex(std::span<const PaperRow> rows, bool runs) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  };
  const auto header = header_of(rows, runs, kLatex);
  const std::size_t words = runs ? 3 : 2;
  std::string out = fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n", std::string(words, 'l'),
                                std::string(header.size() - words, 'r'));
  out += line(header);
  for (const auto& level : by_feedback(rows)) {
    out += "\\midrule\n";
    for (const auto& cells : lines_of(level, runs, kLatex)) {
      out += line(cells);
    }
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string csv(std::span<const PaperRow> rows) {
  struct Extra {
    std::string_view name;
    std::optional<double> HeadlineNumber::*field;
  };

  constexpr Extra kExtras[] = {{"deviation", &HeadlineNumber::deviation},
                               {"low", &HeadlineNumber::low},
                               {"high", &HeadlineNumber::high}};
  std::vector<Extra> extras;
  for (const Extra& extra : kExtras) {
    const bool used = std::any_of(rows.begin(), rows.end(), [&](const PaperRow& row) {
      return std::any_of(row.arm.numbers.begin(), row.arm.numbers.end(),
                         [&](const HeadlineNumber& number) { return number.*extra.field; });
    });
    if (used) {
      extras.push_back(extra);
    }
  }
  std::vector<std::string> names;  // of the numbers of all rows
  for (const PaperRow& row : rows) {
    for (const HeadlineNumber& number : row.arm.numbers) {
      if (std::find(names.begin(), names.end(), number.name) == names.end()) {
        names.push_back(number.name);
      }
    }
  }
  LongTable table;
  table.columns = {"run", "predictor", "feedback"};
  for (const std::string& name : names) {
    table.columns.push_back(name);
    for (const Extra& extra : extras) {
      table.columns.push_back(fmt::format("{}_{}", name, extra.name));
    }
  }
  for (const auto& level : by_feedback(rows)) {
    for (const PaperRow* row : level) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      cells = {row->run, row->arm.predictor, row->arm.feedback};
      for (const std::string& name : names) {
        const auto found =
            std::find_if(row->arm.numbers.begin(), row->arm.numbers.end(),
                         [&](const HeadlineNumber& number) { return number.name == name; });
        const HeadlineNumber number = found == row->arm.numbers.end() ? HeadlineNumber() : *found;
        cells.push_back(cell(number.value));
        for (const Extra& extra : extras) {
          cells.push_back(cell(number.*extra.field));
        }
      }
    }
  }
  return csv_text(table);
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\|*_`<[]").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string latex_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '_':
      case '%':
      case '&':
      case '#':
      case '$':
      case '{':
      case '}':
        out += '\\';
        out += c;
        break;
      case '~': out += "\\textasciitilde{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      case '\\': out += "\\textbackslash{}"; break;
      case '<': out += "\\textless{}"; break;
      case '>': out += "\\textgreater{}"; break;
      case '[': out += "{[}"; break;  // behind \\ it would begin an argument
      case ']': out += "{]}"; break;
      case '\n':
      case '\r': out += ' '; break;
      default: out += c;
    }
  }
  return out;
}

std::string paper_table(std::span<const PaperRow> rows, PaperFormat format, std::string_view note) {
  if (rows.empty()) {
    throw Error(ErrorKind::state, "there is no arm with an outcome to make a table of");
  }
  if (format == PaperFormat::csv) {
    return csv(rows);
  }
  const bool runs = of_several_runs(rows);
  const bool is_latex = format == PaperFormat::latex;
  std::string out;
  if (is_latex) {
    std::string text(note);
    std::replace(text.begin(), text.end(), '\n', ' ');
    out = fmt::format("% \\usepackage{{booktabs}}\n{}", text.empty() ? "" : "% " + text + "\n");
  }
  bool first = true;
  for (const std::vector<PaperRow>& table : by_columns(rows)) {
    out += first ? "" : "\n";
    out += is_latex ? latex(table, runs) : markdown(table, runs);
    first = false;
  }
  return is_latex || note.empty() ? out : out + "\n" + markdown_text(note) + "\n";
}

}  // namespace tyto
