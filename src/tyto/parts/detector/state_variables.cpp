// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/state_variables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/softmax.hpp"

namespace tyto {

namespace {

constexpr float kTold = 0.5F;  // from here on a column of a word is its value

// The word that each column is a value of; "": none.
std::vector<std::string> words_of(Index width, const std::vector<std::string>& columns,
                                  std::span<const double> word_widths) {
  std::vector<std::string> words(at(width));
  if (!word_widths.empty()) {
    Index all = 0;
    for (const double one : word_widths) {
      all += static_cast<Index>(one);
    }
    if (all > width) {
      throw Error(ErrorKind::config,
                  fmt::format("symbolic_ar.words: words of {} columns together, but a state has {}",
                              all, width));
    }
    Index column = width - all;
    for (std::size_t w = 0; w < word_widths.size(); ++w) {
      for (Index k = 0; k < static_cast<Index>(word_widths[w]); ++k) {
        words[at(column++)] = fmt::format("word {}", w);
      }
    }
    return words;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t end = columns[c].find('=');
    words[c] = end == std::string::npos ? "" : columns[c].substr(0, end);
  }
  return words;
}

}  // namespace

StateVariables state_variables(Index width, const std::vector<std::string>& columns,
                               std::span<const double> word_widths) {
  TYTO_ASSERT(columns.empty() || std::ssize(columns) == width);
  const std::vector<std::string> words = words_of(width, columns, word_widths);
  std::map<std::string, std::vector<Index>> values;
  for (Index c = 0; c < width; ++c) {
    if (!words[at(c)].empty()) {
      values[words[at(c)]].push_back(c);
    }
  }
  StateVariables out;
  out.width = width;
  for (Index c = 0; c < width; ++c) {
    const auto word = values.find(words[at(c)]);
    if (word == values.end() || word->second.size() < 2) {
      out.numbers.push_back(c);
      out.names.push_back(columns.empty() ? fmt::format("column {}", c) : columns[at(c)]);
    }
  }
  for (const auto& [name, own] : values) {
    if (own.size() > 1) {
      out.words.push_back(own);
      out.names.push_back(name);
    }
  }
  return out;
}

Matrix variable_losses(const StateVariables& variables, const Matrix& outputs, const Matrix& told) {
  Matrix losses(told.rows(), variables.count());
  Index place = 0;
  for (const Index column : variables.numbers) {
    losses.col(place++) = (outputs.col(column) - told.col(column)).array().square();
  }
  for (const std::vector<Index>& word : variables.words) {
    Matrix logits(told.rows(), std::ssize(word));
    for (std::size_t k = 0; k < word.size(); ++k) {
      logits.col(static_cast<Index>(k)) = outputs.col(word[k]);
    }
    const Matrix log_p = log_softmax(logits);
    for (Index i = 0; i < told.rows(); ++i) {
      float loss = -log_p.row(i).minCoeff();
      for (std::size_t k = 0; k < word.size(); ++k) {
        if (told(i, word[k]) >= kTold) {
          loss = -log_p(i, static_cast<Index>(k));
          break;
        }
      }
      losses(i, place) = loss;
    }
    ++place;
  }
  return losses;
}

}  // namespace tyto
