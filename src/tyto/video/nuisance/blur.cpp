// SPDX-License-Identifier: Apache-2.0
// Blur by a Gaussian of drawn width.
#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/video/nuisance/kinds.hpp"

namespace tyto {

namespace {

constexpr double kReach = 3;  // of the kernel, in sigmas

struct BlurOptions {
  double sigma_least = 0.5, sigma_most = 2;

  void describe(OptionVisitor& v) {
    v.field("sigma_least", sigma_least, {0, 1000}, "pixels, at least");
    v.field("sigma_most", sigma_most, {0, 1000}, "and at most");
  }
};

// Weights at -reach .. reach, which add up to one.
std::vector<double> gaussian_kernel(double sigma) {
  const auto reach = static_cast<Index>(std::ceil(kReach * sigma));
  std::vector<double> weights;
  double sum = 0;
  for (Index i = -reach; i <= reach; ++i) {
    const double way = sigma > 0 ? static_cast<double>(i) / sigma : 0;
    weights.push_back(std::exp(-0.5 * way * way));
    sum += weights.back();
  }
  for (double& weight : weights) {
    weight /= sum;
  }
  return weights;
}

// Mirrored at the borders without repeating them, as often as it takes.
Index folded_back(Index i, Index size) {
  if (size == 1) {
    return 0;
  }
  const Index period = 2 * (size - 1);
  i = ((i % period) + period) % period;
  return i < size ? i : period - i;
}

// Along lines of `size` values, `stride` apart, of which there are `lines`, beginning where `begin`
// says.
template <class Begin>
void blur_lines(const std::vector<double>& kernel, Index lines, Index size, Index stride,
                const Begin& begin, std::vector<double>& values) {
  const auto reach = static_cast<Index>(kernel.size() / 2);
  std::vector<double> line(at(size + 2 * reach));
  for (Index l = 0; l < lines; ++l) {
    double* first = values.data() + begin(l);
    for (Index i = -reach; i < size + reach; ++i) {
      line[at(i + reach)] = first[folded_back(i, size) * stride];
    }
    for (Index i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < kernel.size(); ++k) {
        sum += kernel[k] * line[at(i) + k];
      }
      first[i * stride] = sum;
    }
  }
}

Picture blurred(const Picture& frame, const std::vector<double>& kernel) {
  std::vector<double> values(frame.rgb.begin(), frame.rgb.end());
  const Index across = 3 * frame.width;
  blur_lines(
      kernel, 3 * frame.height, frame.width, 3, [&](Index l) { return l / 3 * across + l % 3; },
      values);
  blur_lines(
      kernel, across, frame.height, across, [](Index l) { return l; }, values);
  Picture out(frame.width, frame.height);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.rgb[i] = nearest_byte(values[i]);
  }
  return out;
}

class Blur final : public VisualNuisance {
 public:
  explicit Blur(BlurOptions options) : options_(options) {
    if (options.sigma_most < options.sigma_least) {
      throw Error(ErrorKind::config, fmt::format("blur: sigma_most {} is below sigma_least {}",
                                                 options.sigma_most, options.sigma_least));
    }
  }

  [[nodiscard]] DrawnNuisance draw(Rng rng) const override {
    const double sigma = drawn_between(options_.sigma_least, options_.sigma_most, rng);
    return {fmt::format("sigma {:.2f}", sigma),
            [kernel = gaussian_kernel(sigma)](const Picture& frame, Index) {
              return blurred(frame, kernel);
            }};
  }

 private:
  BlurOptions options_;
};

}  // namespace

NuisanceSpec blur_nuisance() {
  return nuisance_spec<BlurOptions, Blur>("blur", "Gaussian blur of a sigma drawn for the video");
}

}  // namespace tyto
