// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using ByName = std::map<std::string, const NamedTensor*>;

void replace(std::string& name, std::string_view from, std::string_view to) {
  if (const std::size_t at = name.find(from); at != std::string::npos) {
    name.replace(at, from.size(), to);
  }
}

// hassony2's names of I3D as piergiaj's.
std::string inception_name(std::string name) {
  const bool mixed = name.starts_with("mixed_");
  if (!mixed && !name.starts_with("conv3d_")) {
    return name;
  }
  replace(name, "conv3d_0c_1x1.", "logits.");
  replace(name, ".batch3d.", ".bn.");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kBranches{
      {{".branch_0.", ".b0."},
       {".branch_1.0.", ".b1a."},
       {".branch_1.1.", ".b1b."},
       {".branch_2.0.", ".b2a."},
       {".branch_2.1.", ".b2b."},
       {".branch_3.1.", ".b3b."}}};
  for (const auto& [from, to] : kBranches) {
    replace(name, from, to);
  }
  if (name.starts_with("mixed_") || name.starts_with("conv3d_")) {
    name[0] = mixed ? 'M' : 'C';
  }
  return name;
}

// Other spellings of the same tensors.
std::string usual_name(std::string name) {
  while (name.starts_with("module.")) {
    name.erase(0, 7);
  }
  replace(name, ".mlp.linear_1.", ".mlp.0.");  // torchvision before 0.14
  replace(name, ".mlp.linear_2.", ".mlp.3.");
  return inception_name(std::move(name));
}

std::set<std::string> names_of(const Graph& graph) {
  std::set<std::string> names;
  for (const GraphTensor& tensor : graph.tensors) {
    names.insert(tensor.name);
  }
  return names;
}

// Names changed by `change`; of two that become one, the one that was called so stays.
ByName renamed(const ByName& tensors,
               const std::function<std::string(const std::string&)>& change) {
  ByName made;
  for (const auto& [name, tensor] : tensors) {
    const std::string other = change(name);
    if (other == name) {
      made[name] = tensor;
    } else {
      made.emplace(other, tensor);
    }
  }
  return made;
}

// One or two prefixes of wrappers, to be taken off (or, with a +, put on) where they stand.
using Unwrap = std::vector<std::string_view>;

std::string unwrapped_name(std::string name, const Unwrap& prefixes,
                           const std::set<std::string>& names) {
  for (const std::string_view prefix : prefixes) {
    if (prefix.starts_with('+')) {
      name = names.contains(name) ? name : std::string(prefix.substr(1)) + name;
    } else if (name.starts_with(prefix)) {
      name.erase(0, prefix.size());
    }
  }
  return name;
}

const std::vector<Unwrap>& unwraps() {
  static const std::vector<Unwrap> all = [] {
    const Unwrap prefixes{"backbone.", "model.",  "base_model.", "_orig_mod.",
                          "encoder.",  "module.", "+model.",     "+base_model."};
    std::vector<Unwrap> made;
    for (const std::string_view first : prefixes) {
      made.push_back({first});
    }
    for (const std::string_view first : prefixes) {
      for (const std::string_view second : prefixes) {
        made.push_back({first, second});
      }
    }
    return made;
  }();
  return all;
}

// Without the prefixes of wrappers, as long as more names of the network appear.
ByName unwrapped(ByName tensors, const std::set<std::string>& names) {
  const auto shared = [&](const Unwrap& prefixes) {
    return std::count_if(tensors.begin(), tensors.end(), [&](const auto& entry) {
      return names.contains(unwrapped_name(entry.first, prefixes, names));
    });
  };
  for (bool better = true; better;) {
    better = false;
    auto most = shared({});
    Unwrap best;
    for (const Unwrap& prefixes : unwraps()) {
      if (most == static_cast<std::ptrdiff_t>(tensors.size())) {
        break;
      }
      if (const auto count = shared(prefixes); count > most) {
        most = count;
        best = prefixes;
      }
    }
    if (!best.empty()) {
      tensors = renamed(tensors,
                        [&](const std::string& name) { return unwrapped_name(name, best, names); });
      better = true;
    }
  }
  return tensors;
}

const NamedTensor* found(const ByName& tensors, const std::string& name) {
  const auto at = tensors.find(name);
  return at == tensors.end() ? nullptr : at->second;
}

// What the file says about the parts of the network that vary.
GraphSettings settings_of(const Graph& published, const ByName& tensors) {
  GraphSettings settings;
  const NamedTensor* head = found(tensors, published.head + ".weight");
  settings.classes = head != nullptr && head->shape.size() > 1 ? head->shape[0] : 0;
  for (const GraphTensor& tensor : published.tensors) {
    const NamedTensor* own = found(tensors, tensor.name);
    if (own == nullptr || own->shape.size() != 3 || own->shape[0] != 1) {
      continue;
    }
    if (tensor.name.ends_with("time_embed")) {
      settings.frames = own->shape[1];
    } else if (tensor.name.ends_with("pos_embed") || tensor.name.ends_with("pos_embedding")) {
      const auto side = std::lround(std::sqrt(static_cast<double>(own->shape[1] - 1)));
      settings.grid = side * side == own->shape[1] - 1 ? side : 0;
    }
  }
  return settings;
}

std::string shape_words(const std::vector<Index>& shape) {
  return shape.empty() ? "one number" : fmt::format("{}", fmt::join(shape, " x "));
}

struct Differences {
  std::vector<std::string> missing, unexpected, reshaped;

  [[nodiscard]] bool none() const {
    return missing.empty() && unexpected.empty() && reshaped.empty();
  }

  [[nodiscard]] std::string words() const {
    std::vector<std::string> parts;
    const auto add = [&](const std::vector<std::string>& names, std::string_view what) {
      if (!names.empty()) {
        const std::size_t told = std::min<std::size_t>(names.size(), 3);
        parts.push_back(fmt::format(
            "{} {} ({}{})", names.size(), what,
            fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(told), ", "),
            told < names.size() ? ", ..." : ""));
      }
    };
    add(missing, "missing");
    add(unexpected, "unexpected");
    add(reshaped, "of another shape");
    return fmt::format("{}", fmt::join(parts, "; "));
  }
};

bool is_split(const GraphTensor& tensor) {
  return tensor.name.find(".split_bn.") != std::string::npos;
}

// Statistics of several splits as one: the mean of means, and of variances, to which the variance
// of the means is added.
std::vector<float> merged_splits(const NamedTensor& tensor, const NamedTensor* means, Index width) {
  const Index splits = tensor.shape[0] / width;
  std::vector<float> merged(at(width));
  for (Index c = 0; c < width; ++c) {
    double sum = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (Index s = 0; s < splits; ++s) {
      sum += tensor.values[at(s * width + c)];
      const double m = means == nullptr ? 0.0 : means->values[at(s * width + c)];
      mean += m / static_cast<double>(splits);
      square += m * m / static_cast<double>(splits);
    }
    merged[at(c)] = static_cast<float>(sum / static_cast<double>(splits) + square - mean * mean);
  }
  return merged;
}

class Matching {
 public:
  Matching(const BackboneSpec& spec, const TensorFile& file) {
    ByName all;
    for (const NamedTensor& tensor : file.tensors) {
      if (!tensor.name.ends_with("num_batches_tracked")) {
        all.emplace(usual_name(tensor.name), &tensor);
      }
    }
    // With any head, so that a file with one and a network without agree on its name.
    const Graph published = spec.graph({.classes = std::max<Index>(spec.classes, 1)});
    tensors_ = unwrapped(std::move(all), names_of(published));
    if (published.head == "new_fc" && found(tensors_, "new_fc.weight") == nullptr) {
      tensors_ = renamed(tensors_, [](const std::string& name) {  // TSN without dropout
        return name.starts_with("base_model.fc.") ? "new_fc" + name.substr(13) : name;
      });
    }
    matched.graph = spec.graph(settings_of(published, tensors_));
    for (const GraphTensor& tensor : matched.graph.tensors) {
      match(tensor);
    }
    for (const auto& [name, tensor] : tensors_) {
      const bool foreign = name.find("split_bn.") != std::string::npos ||
                           (spec.classes == 0 && name.starts_with("head."));
      if (!used_.contains(name) && !foreign) {
        differences.unexpected.push_back(name);
      }
    }
  }

  MatchedWeights matched;
  Differences differences;

 private:
  void match(const GraphTensor& tensor) {
    std::string name = tensor.name;
    const NamedTensor* own = found(tensors_, name);
    if (own == nullptr && tensor.statistics) {  // either pair of statistics serves for both
      replace(name, is_split(tensor) ? ".split_bn." : ".bn.",
              is_split(tensor) ? ".bn." : ".split_bn.");
      own = found(tensors_, name);
    }
    used_.insert(name);
    if (own == nullptr) {
      differences.missing.push_back(tensor.name);
      matched.values.emplace_back();
      return;
    }
    const bool splits = tensor.statistics && name.find(".split_bn.") != std::string::npos &&
                        own->shape.size() == 1 && own->shape[0] > tensor.shape[0] &&
                        own->shape[0] % tensor.shape[0] == 0;
    if (splits) {
      const NamedTensor* means = nullptr;
      if (name.ends_with(".running_var")) {
        means = found(tensors_, name.substr(0, name.size() - 3) + "mean");
      }
      if (means != nullptr && means->shape != own->shape) {
        means = nullptr;
      }
      matched.made.push_back(merged_splits(*own, means, tensor.shape[0]));
      matched.values.emplace_back(matched.made.back());
      return;
    }
    if (own->shape != tensor.shape) {
      differences.reshaped.push_back(fmt::format(
          "{}: {} instead of {}", tensor.name, shape_words(own->shape), shape_words(tensor.shape)));
    }
    matched.values.emplace_back(own->values);
  }

  ByName tensors_;
  std::set<std::string> used_;
};

bool has_shifts(const TensorFile& file) {
  return std::any_of(file.tensors.begin(), file.tensors.end(), [](const NamedTensor& tensor) {
    return tensor.name.ends_with(".conv1.net.weight");
  });
}

}  // namespace

MatchedWeights match_weights(const BackboneSpec& spec, const TensorFile& file) {
  Matching matching(spec, file);
  if (matching.differences.none()) {
    return std::move(matching.matched);
  }
  std::string hint;
  if (has_shifts(file)) {
    hint = "; they are of a network with temporal shifts, which is not one of those here";
  }
  for (const BackboneSpec& other : backbone_specs()) {
    if (hint.empty() && other.name != spec.name && Matching(other, file).differences.none()) {
      hint = fmt::format("; they are those of \"{}\"", other.name);
    }
  }
  throw Error(ErrorKind::data, fmt::format("the tensors are not those of \"{}\": {}{}", spec.name,
                                           matching.differences.words(), hint));
}

}  // namespace tyto
