// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/nested_part.hpp"

#include <algorithm>

namespace tyto {

namespace {

struct Named {
  std::string name;
  ConfigNode options;  // without name and what is set aside
};

Named named(const ConfigNode& node, std::string_view path,
            const std::vector<std::string_view>& aside) {
  if (node.kind == ConfigNode::Kind::scalar) {
    return {node.text, ConfigNode::empty_map()};
  }
  const ConfigNode* name = node.find("name");
  if (name == nullptr || name->kind != ConfigNode::Kind::scalar) {
    throw Error(ErrorKind::config, fmt::format("{}: {}: a part needs a name, as in {{name: ...}}",
                                               node.place(), path));
  }
  Named out{name->text, node};
  out.options.remove("name");
  for (const std::string_view key : aside) {
    out.options.remove(key);
  }
  return out;
}

}  // namespace

ConfigNode resolved_nested(Slot slot, const ConfigNode& node, std::string_view path,
                           const std::vector<std::string_view>& aside) {
  const Named part = named(node, path, aside);
  ConfigNode out = ConfigNode::empty_map();
  out.put("name", ConfigNode::scalar(part.name));
  for (const std::string_view key : aside) {
    if (const ConfigNode* kept = node.find(key)) {
      out.put(key, *kept);
    }
  }
  try {
    return merge(out, find_part(slot, part.name).resolve(part.options, path));
  } catch (const Error& problem) {
    const std::string what = problem.what();  // options already name their place
    throw Error(problem.kind(), what.find(path) != what.npos
                                    ? what
                                    : fmt::format("{}: {}: {}", node.place(), path, what));
  }
}

std::unique_ptr<Part> make_nested(Slot slot, const ConfigNode& node, std::string_view path,
                                  const std::vector<std::string_view>& aside) {
  const Named part = named(node, path, aside);
  return find_part(slot, part.name).make(part.options, path);
}

ConfigNode resolved_nested_list(Slot slot, const ConfigNode& list, std::string_view path,
                                const std::vector<std::string_view>& aside) {
  if (list.kind != ConfigNode::Kind::list || list.items.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: {}: must be a list of at least one {}, each a name or {{name: "
                            "..., options}}",
                            list.place(), path, slot_name(slot)));
  }
  ConfigNode out = list;
  for (std::size_t i = 0; i < out.items.size(); ++i) {
    out.items[i] = resolved_nested(slot, list.items[i], fmt::format("{}.{}", path, i), aside);
  }
  return out;
}

Needs joined_needs(const Needs& a, const Needs& b) {
  Needs both = a;
  for (const std::string& source : b.sources) {
    if (std::find(a.sources.begin(), a.sources.end(), source) == a.sources.end()) {
      both.sources.push_back(source);
    }
  }
  both.frames = a.frames || b.frames;
  both.classifier = a.classifier || b.classifier;
  both.embedding = a.embedding || b.embedding;
  both.detector = a.detector || b.detector;
  both.head = a.head || b.head;
  both.gradient = a.gradient || b.gradient;
  both.rivals = a.rivals || b.rivals;
  both.neighbours = std::max(a.neighbours, b.neighbours);
  both.batch_neighbours = std::max(a.batch_neighbours, b.batch_neighbours);
  return both;
}

}  // namespace tyto
