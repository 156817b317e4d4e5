// SPDX-License-Identifier: Apache-2.0
// A value worked out when first asked for and kept: for what several measures of one view share.
#pragma once

#include <mutex>
#include <optional>

namespace tyto {

// Whoever changes what it is made from must reset it. A copy starts without a value. Several
// threads may ask at the same time.
template <class T>
class Lazy {
 public:
  Lazy() = default;

  Lazy(const Lazy& /*other*/) noexcept : Lazy() {}

  Lazy& operator=(const Lazy& /*other*/) noexcept {
    reset();
    return *this;
  }

  ~Lazy() = default;

  template <class Make>
  const T& get(const Make& make) const {
    const std::lock_guard lock(mutex_);
    if (!value_) {
      value_.emplace(make());
    }
    return *value_;
  }

  void reset() { value_.reset(); }

  // Null: nobody has asked yet. For whoever changes what it is made from and keeps it up to date;
  // nobody else may ask meanwhile.
  T* kept() { return value_ ? &*value_ : nullptr; }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<T> value_;
};

}  // namespace tyto
