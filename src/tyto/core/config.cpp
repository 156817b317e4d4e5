// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/config.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

// An alias may stand for what holds it, or for so much that no memory would do.
struct YamlSize {
  static constexpr int kDeepest = 500, kMost = 1'000'000;

  int depth = 0, values = 0;
};

ConfigNode convert(const YAML::Node& yaml, const std::string& file, YamlSize& size) {
  if (++size.values > YamlSize::kMost || size.depth >= YamlSize::kDeepest) {
    throw Error(ErrorKind::config,
                fmt::format("{}:{}:{}: more than {} values, or {} within each other; does an alias "
                            "(*name) stand for what holds it?",
                            file, yaml.Mark().line + 1, yaml.Mark().column + 1, YamlSize::kMost,
                            YamlSize::kDeepest));
  }
  ++size.depth;
  ConfigNode node;
  node.file = file;
  node.line = yaml.Mark().line + 1;
  node.column = yaml.Mark().column + 1;
  if (yaml.IsScalar()) {
    node.kind = ConfigNode::Kind::scalar;
    node.text = yaml.Scalar();
    node.quoted = yaml.Tag() == "!";
  } else if (yaml.IsSequence()) {
    node.kind = ConfigNode::Kind::list;
    for (const auto& item : yaml) {
      node.items.push_back(convert(item, file, size));
    }
  } else if (yaml.IsMap()) {
    node.kind = ConfigNode::Kind::map;
    for (const auto& pair : yaml) {
      auto key = pair.first.Scalar();
      if (node.find(key) != nullptr) {
        throw Error(ErrorKind::config,
                    fmt::format("{}:{}:{}: the key \"{}\" stands twice", file,
                                pair.first.Mark().line + 1, pair.first.Mark().column + 1, key));
      }
      ConfigNode value = convert(pair.second, file, size);
      if (value.line <= 0) {  // an empty value has no mark of its own
        value.line = pair.first.Mark().line + 1;
        value.column = pair.first.Mark().column + 1;
      }
      node.pairs.push_back({std::move(key), std::move(value)});
    }
  }
  --size.depth;
  return node;
}

// Hears where documents begin.
class DocumentStarts final : public YAML::EventHandler {
 public:
  YAML::Mark last = YAML::Mark::null_mark();
  bool is_stuck = false;  // nothing was read between two of them

  void OnDocumentStart(const YAML::Mark& mark) override {
    is_stuck = mark.pos == last.pos;
    last = mark;
  }

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}

  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}

  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}

  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}

  void OnSequenceEnd() override {}

  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}

  void OnMapEnd() override {}
};

// yaml-cpp reads documents for ever where a text goes on with what can begin none, such as a comma.
void expect_an_end(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStarts starts;
  while (parser.HandleNextDocument(starts)) {
    if (starts.is_stuck) {
      throw YAML::ParserException(starts.last, "nothing can begin with what stands here");
    }
  }
}

// At the beginning of a line it would end a document, or say something of it.
bool looks_like_a_border(const std::string& text) {
  return text.starts_with("---") || text.starts_with("...") || text.starts_with('%');
}

void emit(YAML::Emitter& out, const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::null: out << YAML::Null; break;
    case ConfigNode::Kind::scalar:
      if (node.quoted || looks_like_a_border(node.text)) {
        out << YAML::DoubleQuoted;
      }
      out << node.text;
      break;
    case ConfigNode::Kind::list: {
      bool plain = true;
      for (const auto& item : node.items) {
        plain = plain && item.kind == ConfigNode::Kind::scalar;
      }
      out << (plain ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
      for (const auto& item : node.items) {
        emit(out, item);
      }
      out << YAML::EndSeq;
      break;
    }
    case ConfigNode::Kind::map:
      out << YAML::Block << YAML::BeginMap;
      for (const auto& [key, value] : node.pairs) {
        out << YAML::Key << key << YAML::Value;
        emit(out, value);
      }
      out << YAML::EndMap;
      break;
  }
}

ConfigNode* descend(ConfigNode& node, std::string_view step, std::string_view origin) {
  if (node.kind == ConfigNode::Kind::list) {
    std::size_t at = 0;
    const auto [end, problem] = std::from_chars(step.data(), step.data() + step.size(), at);
    if (problem != std::errc() || end != step.data() + step.size() || at >= node.items.size()) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: \"{}\" is not an item of a list of {} (counted from 0)", origin,
                              step, node.items.size()));
    }
    return &node.items[at];
  }
  if (node.kind != ConfigNode::Kind::map) {  // a scalar or nothing gives way to a map
    ConfigNode map = ConfigNode::empty_map();
    if (node.kind == ConfigNode::Kind::scalar && !node.text.empty()) {
      map.put("name", ConfigNode::scalar(node.text));  // `classifier: mlp` + classifier.epochs=3
    }
    map.file = node.file;
    map.line = node.line;
    map.column = node.column;
    node = std::move(map);
  }
  if (node.find(step) == nullptr) {
    node.put(step, ConfigNode());
  }
  return node.find(step);
}

// `line` (from 0) holds the first value of the document; what ended the one before stands above it.
[[noreturn]] void refuse_second_document(std::string_view text, std::string_view name, int line) {
  std::string_view sign;
  int sign_line = line;
  for (int at = 0; at <= line && !text.empty(); ++at) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    if (whole.starts_with("---") || whole.starts_with("...") || whole.starts_with('%')) {
      sign = whole.substr(0, whole.starts_with('%') ? 1 : 3);
      sign_line = at;
    }
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
  }
  throw Error(ErrorKind::config,
              fmt::format("{}:{}: a second YAML document begins here (\"{}\" at the beginning of a "
                          "line), and only one is read; put all of it into one",
                          name, sign_line + 1, sign));
}

// One line typed by hand has no places in it worth telling.
void forget_lines(ConfigNode& node) {
  node.line = node.column = 0;
  for (ConfigNode& item : node.items) {
    forget_lines(item);
  }
  for (auto& [key, value] : node.pairs) {
    forget_lines(value);
  }
}

}  // namespace

ConfigNode ConfigNode::scalar(std::string_view text) {
  ConfigNode node;
  node.kind = Kind::scalar;
  node.text = text;
  return node;
}

ConfigNode ConfigNode::empty_map() {
  ConfigNode node;
  node.kind = Kind::map;
  return node;
}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  for (const auto& [name, value] : pairs) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

ConfigNode* ConfigNode::find(std::string_view key) {
  return const_cast<ConfigNode*>(std::as_const(*this).find(key));
}

void ConfigNode::put(std::string_view key, ConfigNode value) {
  kind = Kind::map;
  if (ConfigNode* old = find(key)) {
    *old = std::move(value);
  } else {
    pairs.push_back({std::string(key), std::move(value)});
  }
}

void ConfigNode::remove(std::string_view key) {
  std::erase_if(pairs, [&](const auto& pair) { return pair.key == key; });
}

std::string ConfigNode::place() const {
  return line > 0 ? fmt::format("{}:{}:{}", file, line, column) : file;
}

ConfigNode parse_yaml(std::string_view text, std::string_view name) {
  try {
    const std::string whole(text);
    expect_an_end(whole);
    const std::vector<YAML::Node> documents = YAML::LoadAll(whole);
    if (documents.size() > 1) {
      refuse_second_document(text, name, documents[1].Mark().line);
    }
    YamlSize size;
    return convert(documents.empty() ? YAML::Node() : documents.front(), std::string(name), size);
  } catch (const YAML::Exception& problem) {
    throw Error(ErrorKind::config,
                fmt::format("{}:{}:{}: not YAML: {}", name, problem.mark.line + 1,
                            problem.mark.column + 1, problem.msg));
  }
}

ConfigNode load_yaml(const std::filesystem::path& path) {
  return parse_yaml(read_file(path), path.string());
}

std::string to_yaml(const ConfigNode& node) {
  YAML::Emitter out;
  emit(out, node);
  return std::string(out.c_str()) + "\n";
}

void set_path(ConfigNode& root, std::string_view path, std::string_view value,
              std::string_view origin) {
  const std::string_view place = origin.empty() ? path : origin;
  ConfigNode* node = &root;
  std::string_view rest = path;
  while (!rest.empty()) {
    const auto dot = rest.find('.');
    node = descend(*node, rest.substr(0, dot), place);
    rest = dot == rest.npos ? "" : rest.substr(dot + 1);
  }
  *node = parse_yaml(value, place);
  forget_lines(*node);
}

ConfigNode merge(const ConfigNode& base, const ConfigNode& over) {
  if (base.kind != ConfigNode::Kind::map || over.kind != ConfigNode::Kind::map) {
    return over;
  }
  ConfigNode out = base;
  for (const auto& [key, value] : over.pairs) {
    const ConfigNode* old = base.find(key);
    out.put(key, old == nullptr ? value : merge(*old, value));
  }
  return out;
}

}  // namespace tyto
