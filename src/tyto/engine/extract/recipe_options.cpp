// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/recipe_options.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using Word = std::string_view;

constexpr std::array<Word, 5> kResizers{"none", "pillow_bilinear", "pillow_bicubic",
                                        "torch_bilinear", "area"};
constexpr std::array<Word, 3> kFits{"short_side", "stretch", "square_first"};
constexpr std::array<Word, 2> kRoundings{"half_even", "ceil"};
constexpr std::array<Word, 7> kRules{"every",  "uniform", "segments", "clips",
                                     "spread", "snippet", "all"};

template <class Enum, std::size_t N>
void word_field(OptionVisitor& v, Word key, Enum& value, const std::array<Word, N>& words,
                Word help) {
  std::string word(words[static_cast<std::size_t>(value)]);
  v.field(key, word, words, help);
  const auto it = std::find(words.begin(), words.end(), word);
  value = static_cast<Enum>(it == words.end() ? 0 : it - words.begin());
}

void colour_field(OptionVisitor& v, Word key, std::array<float, 3>& colour, Range range,
                  Word help) {
  std::vector<double> values;
  for (const float part : colour) {
    values.push_back(std::stod(fmt::format("{}", part)));  // 0.485, not what float makes of it
  }
  v.field(key, values, range, help);
  if (values.size() != 3) {
    throw Error(ErrorKind::config,
                fmt::format("{}: {} values for red, green and blue", key, values.size()));
  }
  std::copy(values.begin(), values.end(), colour.begin());
}

struct RecipeOptions {
  Recipe recipe;

  void describe(OptionVisitor& v) {
    constexpr Range kSize{0, 8192}, kCount{1, 100000};
    word_field(v, "resizer", recipe.resizer, kResizers, "how pictures change their size");
    word_field(v, "fit", recipe.fit, kFits, "what height and width are the sizes of");
    v.field("height", recipe.height, kSize, "to resize to; with short_side, of the shorter side");
    v.field("width", recipe.width, kSize, "to resize to");
    v.field("crop_height", recipe.crop_height, kSize, "of what the network sees; 0: all");
    v.field("crop_width", recipe.crop_width, kSize, "of what the network sees; 0: all");
    word_field(v, "crop_rounding", recipe.crop_rounding, kRoundings, "where the middle lies");
    colour_field(v, "mean", recipe.mean, {-1000, 1000}, "of values / 255, red, green, blue");
    colour_field(v, "deviation", recipe.deviation, {1e-6, 1000}, "of values / 255");
    v.field("blue_first", recipe.blue_first, "the network sees blue, green, red");
    v.field("sampling", recipe.sampling, kRules, "which frames of a video are looked at");
    v.field("frames", recipe.frames, kCount, "of a clip");
    v.field("stride", recipe.stride, kCount, "from a frame of a clip to the next");
    v.field("clips", recipe.clips, kCount, "of a video, for uniform and spread");
    v.field("crops", recipe.crops, {1, 10}, "of a frame: 1, 3 or 10; their mean counts");
  }
};

}  // namespace

Recipe read_recipe(const ConfigNode& node, const Recipe& standard, std::string_view path) {
  RecipeOptions options{standard};
  read_options(node, path, [&](OptionVisitor& visitor) { options.describe(visitor); });
  const Index crops = options.recipe.crops;
  if (crops != 1 && crops != 3 && crops != 10) {
    throw Error(ErrorKind::config, fmt::format("{}.crops: 1, 3 or 10, not {}", path, crops));
  }
  return options.recipe;
}

ConfigNode recipe_node(const Recipe& recipe) {
  RecipeOptions options{recipe};
  return write_options([&](OptionVisitor& visitor) { options.describe(visitor); });
}

std::vector<OptionHelp> recipe_help(const Recipe& standard) {
  RecipeOptions options{standard};
  return explain_options([&](OptionVisitor& visitor) { options.describe(visitor); });
}

}  // namespace tyto
