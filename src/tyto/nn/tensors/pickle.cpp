// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/pickle.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/little_endian.hpp"
#include "tyto/nn/tensors/pickle_calls.hpp"
#include "tyto/nn/tensors/pickle_words.hpp"
#include "tyto/nn/tensors/printable.hpp"

namespace tyto {

namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kLongestPickle = std::size_t{64} << 20U;
constexpr std::size_t kMostOnStack = 1'000'000;  // and in the memo
constexpr std::size_t kMostValues = 4'000'000;   // pushed in all: what lists can come to hold
constexpr std::uint8_t kNewestProtocol = 2;

class PickleMachine {
 public:
  explicit PickleMachine(std::span<const std::byte> bytes)
      : bytes_(bytes.first(std::min(bytes.size(), kLongestPickle))), calls_(pickle_) {
    pickle_.bytes = as_text(bytes_);
  }

  // The opcode it stands at, for messages.
  [[nodiscard]] std::size_t place() const { return place_; }

  Pickle run() {
    for (bool goes_on = true; goes_on;) {
      place_ = next_;
      if (next_ == bytes_.size()) {
        throw std::runtime_error(bytes_.size() == kLongestPickle
                                     ? fmt::format("no STOP within {} bytes", kLongestPickle)
                                     : "it ends without STOP");
      }
      goes_on = step(take<std::uint8_t>());
    }
    pickle_.end = next_;
    return std::move(pickle_);
  }

 private:
  bool step(std::uint8_t code) {
    switch (static_cast<PickleCode>(code)) {
      case PickleCode::protocol: expect_protocol(take<std::uint8_t>()); break;
      case PickleCode::stop: pickle_.top = pop(); return false;
      case PickleCode::mark: push({Kind::mark, {}}); break;
      case PickleCode::none: push({Kind::none, {}}); break;
      case PickleCode::true_value: push({Kind::boolean, {1}}); break;
      case PickleCode::false_value: push({Kind::boolean, {0}}); break;
      case PickleCode::integer: push_integer(take<std::int32_t>()); break;
      case PickleCode::integer1: push_integer(take<std::uint8_t>()); break;
      case PickleCode::integer2: push_integer(take<std::uint16_t>()); break;
      case PickleCode::long1: push_long(); break;
      case PickleCode::number: push_number(); break;
      case PickleCode::text: push_text(take<std::uint32_t>()); break;
      case PickleCode::string: push_text(take<std::int32_t>()); break;
      case PickleCode::short_string: push_text(take<std::uint8_t>()); break;
      case PickleCode::global: push_global(); break;
      case PickleCode::empty_dictionary: push_object(Kind::dictionary, {}); break;
      case PickleCode::empty_list: push_object(Kind::list, {}); break;
      case PickleCode::empty_tuple: push_object(Kind::tuple, {}); break;
      case PickleCode::tuple: push_object(Kind::tuple, pop_to_mark()); break;
      case PickleCode::tuple1: push_object(Kind::tuple, pop_some(1)); break;
      case PickleCode::tuple2: push_object(Kind::tuple, pop_some(2)); break;
      case PickleCode::tuple3: push_object(Kind::tuple, pop_some(3)); break;
      case PickleCode::set_item: set_items(pop_some(2)); break;
      case PickleCode::set_items: set_items(pop_to_mark()); break;
      case PickleCode::append: append_items(pop_some(1)); break;
      case PickleCode::appends: append_items(pop_to_mark()); break;
      case PickleCode::reduce: reduce(); break;
      case PickleCode::build: build(); break;
      case PickleCode::persistent_id: push(calls_.storage_of(pop())); break;
      case PickleCode::put: put(take<std::uint8_t>()); break;
      case PickleCode::long_put: put(take<std::uint32_t>()); break;
      case PickleCode::get: get(take<std::uint8_t>()); break;
      case PickleCode::long_get: get(take<std::uint32_t>()); break;
      default: refuse_opcode(code);
    }
    return true;
  }

  [[noreturn]] static void refuse_opcode(std::uint8_t code) {
    const std::string_view name = opcode_name(code);
    throw std::runtime_error(
        name.empty()
            ? fmt::format("the byte {:02x} is no opcode", code)
            : fmt::format("the opcode {} is not among those a state dictionary needs", name));
  }

  static void expect_protocol(std::uint8_t version) {
    if (version > kNewestProtocol) {
      throw std::runtime_error(
          fmt::format("it is a pickle of protocol {} (PROTO {}); up to {} is "
                      "read",
                      version, version, kNewestProtocol));
    }
  }

  void expect_left(std::uint64_t size) const {
    if (size > bytes_.size() - next_) {
      throw std::runtime_error(
          fmt::format("{} bytes should follow, {} are left", size, bytes_.size() - next_));
    }
  }

  template <class Number>
  Number take() {
    expect_left(sizeof(Number));
    const auto value = little_endian<Number>(bytes_, next_);
    next_ += sizeof(Number);
    return value;
  }

  std::string_view take_line() {
    const std::string_view rest = pickle_.bytes.substr(next_);
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) {
      throw std::runtime_error("a name does not end");
    }
    next_ += end + 1;
    return rest.substr(0, end);
  }

  void push(PickleValue value) {
    if (stack_.size() >= kMostOnStack || ++pushed_ > kMostValues) {
      throw std::runtime_error(fmt::format("it holds more than {} values at once or {} in all",
                                           kMostOnStack, kMostValues));
    }
    stack_.push_back(value);
  }

  const PickleValue& top() const {
    if (stack_.empty() || stack_.back().kind == Kind::mark) {
      throw std::runtime_error("the stack has no value left for it");
    }
    return stack_.back();
  }

  PickleValue pop() {
    const PickleValue value = top();
    stack_.pop_back();
    return value;
  }

  std::vector<PickleValue> pop_some(std::size_t count) {
    std::vector<PickleValue> items(count);
    for (std::size_t i = count; i > 0; --i) {
      items[i - 1] = pop();
    }
    return items;
  }

  std::vector<PickleValue> pop_to_mark() {
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(), [](const PickleValue& value) {
      return value.kind == Kind::mark;
    });
    if (mark == stack_.rend()) {
      throw std::runtime_error("there is no MARK on the stack for it");
    }
    std::vector<PickleValue> items(mark.base(), stack_.end());
    stack_.erase(mark.base() - 1, stack_.end());
    return items;
  }

  void push_integer(std::int64_t value) { push({Kind::integer, {value}}); }

  void push_long() {
    const std::size_t size = take<std::uint8_t>();
    if (size > sizeof(std::int64_t)) {
      throw std::runtime_error(fmt::format("a whole number has {} bytes; 8 are read", size));
    }
    expect_left(size);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value |= static_cast<std::uint64_t>(bytes_[next_ + i]) << (8 * i);
    }
    if (size > 0 && size < 8 && (bytes_[next_ + size - 1] & std::byte{0x80}) != std::byte{}) {
      value |= ~std::uint64_t{0} << (8 * size);  // two's complement
    }
    next_ += size;
    push_integer(static_cast<std::int64_t>(value));
  }

  void push_number() {
    const auto bits = __builtin_bswap64(take<std::uint64_t>());
    PickleValue value{Kind::number, {}};
    value.number = std::bit_cast<double>(bits);
    push(value);
  }

  void push_text(std::int64_t size) {
    if (size < 0) {
      throw std::runtime_error(fmt::format("a text has {} bytes", size));
    }
    expect_left(static_cast<std::uint64_t>(size));
    PickleValue value{Kind::text, {}};
    value.text = {static_cast<std::uint32_t>(next_), static_cast<std::uint32_t>(size)};
    next_ += static_cast<std::size_t>(size);
    push(value);
  }

  void push_global() {
    const std::string_view module = take_line();
    const std::string_view name = take_line();
    const auto known = known_global(module, name);
    if (!known) {
      throw std::runtime_error(fmt::format(
          "holds {}.{}, which this reader does not run; save the state dictionary alone",
          printable(module), printable(name)));
    }
    push(*known);
  }

  void push_object(Kind kind, std::vector<PickleValue> items) {
    push(calls_.add_object(kind, std::move(items)));
  }

  void set_items(const std::vector<PickleValue>& items) { calls_.set_items(top(), items); }

  void append_items(const std::vector<PickleValue>& items) { calls_.append_items(top(), items); }

  void reduce() {
    const PickleValue arguments = pop();
    push(calls_.reduce(pop(), arguments));
  }

  // The state of an OrderedDict is its _metadata, which nobody needs.
  void build() {
    const PickleValue state = pop();
    const PickleValue& object = top();
    if (object.kind != Kind::dictionary || !pickle_.objects[object.place].is_ordered ||
        state.kind != Kind::dictionary) {
      throw std::runtime_error(
          fmt::format("the state of {} is set to {}; only an OrderedDict has "
                      "one, a dictionary",
                      kind_name(object.kind), kind_name(state.kind)));
    }
  }

  // Entries are counted up from 0 by whoever writes: one cannot be beyond the bytes that were read.
  void put(std::uint32_t entry) {
    if (entry >= std::min(kMostOnStack, next_)) {
      throw std::runtime_error(fmt::format("the memo entry {} is too far out", entry));
    }
    const PickleValue value = top();
    if (entry >= memo_.size()) {
      memo_.resize(entry + 1);
    }
    memo_[entry] = value;
  }

  void get(std::uint32_t entry) {
    if (entry >= memo_.size() || memo_[entry].kind == Kind::absent) {
      throw std::runtime_error(fmt::format("the memo entry {} was never stored", entry));
    }
    push(memo_[entry]);
  }

  std::span<const std::byte> bytes_;
  std::size_t next_ = 0, place_ = 0, pushed_ = 0;
  Pickle pickle_;
  PickleCalls calls_;
  std::vector<PickleValue> stack_, memo_;
};

}  // namespace

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  const auto& all = items(dictionary);
  for (std::size_t i = all.size(); i > 0; i -= 2) {
    if (all[i - 2].kind == Kind::text && text(all[i - 2]) == key) {
      return &all[i - 1];
    }
  }
  return nullptr;
}

std::string_view kind_name(PickleValue::Kind kind) {
  switch (kind) {
    case Kind::absent: return "nothing";
    case Kind::mark: return "a mark";
    case Kind::none: return "None";
    case Kind::boolean: return "a boolean";
    case Kind::integer: return "a whole number";
    case Kind::number: return "a number";
    case Kind::text: return "a text";
    case Kind::list: return "a list";
    case Kind::tuple: return "a tuple";
    case Kind::dictionary: return "a dictionary";
    case Kind::call: return "a function";
    case Kind::storage_class: return "a class of storages";
    case Kind::storage: return "a storage";
    case Kind::tensor: return "a tensor";
  }
  return "nothing";
}

Pickle read_pickle(std::span<const std::byte> bytes, std::string_view name) {
  PickleMachine machine(bytes);
  try {
    return machine.run();
  } catch (const std::runtime_error& problem) {
    throw Error(ErrorKind::data, fmt::format("{}: byte {} of the pickle: {}", name, machine.place(),
                                             problem.what()));
  }
}

}  // namespace tyto
