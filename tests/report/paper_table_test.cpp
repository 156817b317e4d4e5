// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/paper_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

HeadlineNumber paper_number(const std::string& name, Better better, std::optional<double> value) {
  HeadlineNumber number;
  number.name = name + "_before";
  number.title = name;
  number.better = better;
  number.value = value;
  return number;
}

PaperRow paper_row(const std::string& run, const std::string& predictor,
                   const std::string& feedback, std::optional<double> right,
                   std::optional<double> alarms) {
  return {run,
          {predictor,
           feedback,
           {paper_number("right", Better::higher, right),
            paper_number("alarms", Better::lower, alarms)}}};
}

// Best at 0 %: right 0.9 of b, alarms 0.05 of both as printed. At 50 % c is alone.
std::vector<PaperRow> paper_rows() {
  std::vector<PaperRow> rows{paper_row("r", "a_1", "0 %", 0.5, 0.05),
                             paper_row("r", "c|d", "50 %", 0.25, std::nullopt),
                             paper_row("r", "b", "0 %", 0.9, 0.0501)};
  rows[0].arm.numbers[0].low = 0.4;
  rows[0].arm.numbers[0].high = 0.6125;
  rows[2].arm.numbers[0].deviation = 0.01;
  return rows;
}

TEST(PaperTable, in_markdown) {
  EXPECT_EQ(paper_table(paper_rows(), PaperFormat::markdown, "x_y"),
            "| predictor | feedback | right ↑ | alarms ↓ |\n"
            "| :-- | :-- | --: | --: |\n"
            "| a\\_1 | 0 % | 0.500 \\[0.400, 0.613\\] | **0.050** |\n"
            "| b | 0 % | **0.900** ± 0.010 | **0.050** |\n"
            "| c\\|d | 50 % | 0.250 | -- |\n"
            "\n"
            "x\\_y\n");
}

TEST(PaperTable, in_latex) {
  EXPECT_EQ(paper_table(paper_rows(), PaperFormat::latex, "a note"),
            "% \\usepackage{booktabs}\n"
            "% a note\n"
            "\\begin{tabular}{llrr}\n"
            "\\toprule\n"
            "predictor & feedback & right $\\uparrow$ & alarms $\\downarrow$ \\\\\n"
            "\\midrule\n"
            "a\\_1 & 0 \\% & 0.500 {\\scriptsize [0.400, 0.613]} & \\textbf{0.050} \\\\\n"
            "b & 0 \\% & \\textbf{0.900} $\\pm$ 0.010 & \\textbf{0.050} \\\\\n"
            "\\midrule\n"
            "c|d & 50 \\% & 0.250 & -- \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n");
}

TEST(PaperTable, in_csv_holds_every_digit) {
  auto rows = paper_rows();
  rows[1].arm.predictor = "say \"c\", d";
  rows[2].arm.numbers[1].value = 0.1 + 0.2;
  EXPECT_EQ(paper_table(rows, PaperFormat::csv, "left out"),
            "run,predictor,feedback,right_before,right_before_deviation,right_before_low,"
            "right_before_high,alarms_before,alarms_before_deviation,alarms_before_low,"
            "alarms_before_high\n"
            "r,a_1,0 %,0.5,,0.4,0.6125,0.05,,,\n"
            "r,b,0 %,0.9,0.01,,,0.30000000000000004,,,\n"
            "r,\"say \"\"c\"\", d\",50 %,0.25,,,,,,,\n");
}

TEST(PaperTable, names_the_runs_where_there_are_several) {
  const std::vector<PaperRow> rows{paper_row("one", "a", "0 %", 0.5, 0.1),
                                   paper_row("two", "a", "0 %", 0.4, 0.1)};
  EXPECT_EQ(paper_table(rows, PaperFormat::markdown),
            "| run | predictor | feedback | right ↑ | alarms ↓ |\n"
            "| :-- | :-- | :-- | --: | --: |\n"
            "| one | a | 0 % | **0.500** | **0.100** |\n"
            "| two | a | 0 % | 0.400 | **0.100** |\n");
  EXPECT_THAT(paper_table(rows, PaperFormat::latex), HasSubstr("{lllrr}"));
}

TEST(PaperTable, gives_rows_with_other_numbers_a_table_of_their_own) {
  PaperRow other = paper_row("two", "b", "100 %", 0.4, 0.1);
  other.arm.numbers = {paper_number("nll", Better::lower, 1.5)};
  const std::vector<PaperRow> rows{paper_row("one", "a", "0 %", 0.5, 0.1), other};
  EXPECT_EQ(paper_table(rows, PaperFormat::markdown, "n"),
            "| run | predictor | feedback | right ↑ | alarms ↓ |\n"
            "| :-- | :-- | :-- | --: | --: |\n"
            "| one | a | 0 % | 0.500 | 0.100 |\n"
            "\n"
            "| run | predictor | feedback | nll ↓ |\n"
            "| :-- | :-- | :-- | --: |\n"
            "| two | b | 100 % | 1.500 |\n"
            "\n"
            "n\n");
  EXPECT_EQ(paper_table(rows, PaperFormat::csv),
            "run,predictor,feedback,right_before,alarms_before,nll_before\n"
            "one,a,0 %,0.5,0.1,\n"
            "two,b,100 %,,,1.5\n");
}

TEST(PaperTable, prints_special_characters_as_they_are) {
  EXPECT_EQ(latex_text("a_b%c&d#e{f}g~h^i\\j$k<l>m[n]"),
            "a\\_b\\%c\\&d\\#e\\{f\\}g\\textasciitilde{}h\\textasciicircum{}i\\textbackslash{}j\\$"
            "k\\textless{}l\\textgreater{}m{[}n{]}");
  EXPECT_EQ(markdown_text("a|b*c_d`e<f[g]h\\i\nj"), "a\\|b\\*c\\_d\\`e\\<f\\[g\\]h\\\\i j");
}

TEST(PaperTable, of_nothing_is_refused) {
  EXPECT_THROW(paper_table({}, PaperFormat::csv), Error);
}

}  // namespace
}  // namespace tyto
