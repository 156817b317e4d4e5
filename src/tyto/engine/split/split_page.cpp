// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/split/split_page.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tyto/core/build_info.hpp"
#include "tyto/engine/split/class_balance.hpp"
#include "tyto/engine/split/svg_charts.hpp"

namespace tyto {

namespace {

// The colours of the report page: known blue, novel orange.
constexpr std::string_view kPageHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
:root { color-scheme: light dark; --paper: #fdfcfa; --panel: #f6f4f0; --ink: #1d2026; --soft: #5c626d;
  --rule: #e4e1da; --edge: #cdc8be; --known: #0b62a0; --novel: #c1500a; --hatch: #fdfcfa99; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171c; --panel: #1b1f26; --ink: #e6e4df;
  --soft: #a2a8b3; --rule: #2b3038; --edge: #444b56; --known: #5aaee8; --novel: #f0884a; --hatch: #14171c99; } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: .95rem; margin: 1.2rem 0 .2rem; font-weight: 600; }
p { margin: .3rem 0 .8rem; } .soft { color: var(--soft); }
svg { display: block; width: 100%; height: auto; font-size: 11px; }
svg text { fill: var(--soft); } .rule { stroke: var(--rule); } .mark { stroke: var(--edge); }
.known { fill: var(--known); } .novel { fill: var(--novel); } .hatched { fill: url(#hatch); }
.key { display: inline-block; margin-right: 1.2rem; } .key svg { display: inline-block; width: 1em; height: 1em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
summary { cursor: pointer; color: var(--soft); margin-top: 1rem; }
ul { padding-left: 1.2rem; }
</style>
</head>
<body>
<svg width="0" height="0" style="position:absolute"><defs><pattern id="hatch" width="5" height="5"
 patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="1.6" height="5" style="fill:var(--hatch)"/></pattern></defs></svg>
)html";

constexpr std::string_view kPageKeys =
    R"html(<p class="soft"><span class="key"><svg viewBox="0 0 10 10"><circle
 class="known" cx="5" cy="5" r="5"/></svg> known</span><span class="key"><svg viewBox="0 0 10 10"><path
 class="novel" d="M5 0l5 5l-5 5l-5-5z"/></svg> novel</span>@said@</p>
)html";

std::string filled(std::string_view text, std::string_view mark, std::string_view value) {
  std::string out(text);
  const auto at = out.find(mark);
  return out.replace(at, mark.size(), value);
}

std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"wide\"><table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (const std::string& cell : rows[i]) {
      const std::string_view tag = i == 0 ? "th" : "td";
      fmt::format_to(std::back_inserter(out), "<{0}>{1}</{0}>", tag, html_text(cell));
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::vector<std::size_t> used_splits(const std::vector<IncrementCounts>& counts) {
  std::vector<std::size_t> used;
  for (std::size_t side = 0; side < kSideNames.size(); ++side) {
    if (std::any_of(counts.begin(), counts.end(), [&](const IncrementCounts& c) {
          return c.samples[side].known + c.samples[side].novel > 0;
        })) {
      used.push_back(side);
    }
  }
  return used;
}

std::string increments_part(const std::vector<IncrementCounts>& counts, bool until_taught) {
  const std::vector<std::size_t> used = used_splits(counts);
  std::string out = "<h2>Increments</h2>\n";
  out += filled(kPageKeys, "@said@",
                fmt::format("A sample is novel where no earlier increment {} its class; a class is "
                            "novel at the increment that introduces it.",
                            until_taught ? "taught" : "showed"));
  const auto chart = [&](std::string_view what, const auto& known, const auto& novel) {
    std::vector<StackedBar> bars;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      bars.push_back({std::to_string(t), counts[t].dataset, known(counts[t]), novel(counts[t])});
    }
    fmt::format_to(std::back_inserter(out), "<h3>{}</h3>\n{}", html_text(what),
                   stacked_bars(bars, what));
  };
  using Counts = IncrementCounts;
  chart(
      "classes", [](const Counts& c) { return c.known_classes; },
      [](const Counts& c) { return c.novel_classes; });
  std::vector<std::vector<std::string>> rows{
      {"increment", "release", "known classes", "novel classes"}};
  for (const std::size_t side : used) {
    chart(
        fmt::format("{} samples", kSideNames[side]),
        [side](const Counts& c) { return c.samples[side].known; },
        [side](const Counts& c) { return c.samples[side].novel; });
    rows[0].push_back(fmt::format("{} known", kSideNames[side]));
    rows[0].push_back(fmt::format("{} novel", kSideNames[side]));
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    auto& row = rows.emplace_back();
    row = {std::to_string(t), counts[t].dataset, grouped_digits(counts[t].known_classes),
           grouped_digits(counts[t].novel_classes)};
    for (const std::size_t side : used) {
      row.push_back(grouped_digits(counts[t].samples[side].known));
      row.push_back(grouped_digits(counts[t].samples[side].novel));
    }
  }
  return out + "<details><summary>as a table</summary>" + table_of(rows) + "</details>\n";
}

std::string balance_part(const std::vector<ClassSize>& sizes) {
  const auto later = std::find_if(sizes.begin(), sizes.end(),
                                  [](const ClassSize& size) { return !size.is_start; });
  std::vector<std::vector<std::string>> rows{
      {"", "classes", "samples", "fewest", "median", "most", "evenness"}};
  const auto add = [&](const std::string& name, std::span<const ClassSize> some) {
    const Balance balance = balance_of(some);
    rows.push_back({name, grouped_digits(balance.classes), grouped_digits(balance.samples),
                    grouped_digits(balance.fewest), fmt::format("{:.1f}", balance.median),
                    grouped_digits(balance.most), fmt::format("{:.3f}", balance.evenness)});
  };
  add("known at the start", {sizes.begin(), later});
  add("novel later", {later, sizes.end()});
  add("all", sizes);
  std::vector<GroupedPoint> points;
  std::vector<std::vector<std::string>> list{
      {"class", "first increment", "", "train", "validate", "test"}};
  for (const ClassSize& size : sizes) {
    points.push_back({size.name, std::to_string(size.first), std::max<Index>(1, size.samples()),
                      !size.is_start});
    list.push_back({size.name, std::to_string(size.first), size.is_start ? "known" : "novel",
                    grouped_digits(size.by_split[0]), grouped_digits(size.by_split[1]),
                    grouped_digits(size.by_split[2])});
  }
  return "<h2>Class balance</h2>\n" +
         filled(kPageKeys, "@said@",
                "A point is a class, its height the samples of all splits (logarithmic). Classes "
                "stand by the increment that shows them first, the largest first.") +
         grouped_points(points, "samples") + table_of(rows) +
         "<p class=\"soft\">Evenness is the entropy of the classes' shares over its maximum: 1 "
         "where all are of one size.</p>\n<details><summary>all classes</summary>" +
         table_of(list) + "</details>\n";
}

std::string facts_part(const SplitPlan& plan, const BuiltSplit& built) {
  const ListCounts total = built.unified.total();
  std::string out = fmt::format("<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", html_text(plan.name),
                                html_text(plan.summary));
  fmt::format_to(
      std::back_inserter(out),
      "<p>{} names became {} classes; {} samples are shown in {} increments. Of {} rows {} are "
      "repeated, {} lost, {} unlabelled and {} unused.</p>\n<p class=\"soft\">label {}, place {}, "
      "letter case {}, schedule {}, test {}, seed {}.</p>\n",
      grouped_digits(std::ssize(built.unified.names)), grouped_digits(built.unified.classes()),
      grouped_digits(total.shown), built.counts.size(), grouped_digits(total.rows),
      grouped_digits(total.repeated), grouped_digits(total.lost), grouped_digits(total.unlabelled),
      grouped_digits(total.unused), plan.label, plan.place, plan.merge_case ? "merged" : "kept",
      plan.schedule, plan.test, plan.seed);
  if (!built.notes.empty()) {
    out += "<ul class=\"soft\">\n";
    for (const std::string& note : built.notes) {
      out += "<li>" + html_text(note) + "</li>\n";
    }
    out += "</ul>\n";
  }
  return out;
}

}  // namespace

std::string split_page(const SplitPlan& plan, const BuiltSplit& built) {
  return filled(kPageHead, "@title@", html_text(plan.name)) + facts_part(plan, built) +
         increments_part(built.counts, plan.novel == "taught") +
         balance_part(class_sizes(built.split.schedule, built.split.series.joined.table)) +
         fmt::format("<p class=\"soft\">tyto {}</p>\n</body>\n</html>\n", build_info().version);
}

}  // namespace tyto
