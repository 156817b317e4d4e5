// SPDX-License-Identifier: Apache-2.0
// Changes of each pixel by itself: inversion, colour jitter, noise.
#include <array>

#include <fmt/format.h>

#include "tyto/video/nuisance/kinds.hpp"

namespace tyto {

namespace {

using Colour = std::array<double, 3>;  // in [0, 1]

class Invert final : public VisualNuisance {
 public:
  explicit Invert(NoOptions) {}

  [[nodiscard]] DrawnNuisance draw(Rng) const override {
    return {"inverted", [](const Picture& frame, Index) {
              Picture out = frame;
              for (std::uint8_t& value : out.rgb) {
                value = static_cast<std::uint8_t>(255 - value);
              }
              return out;
            }};
  }
};

struct NoiseOptions {
  double deviation = 10;

  void describe(OptionVisitor& v) {
    v.field("deviation", deviation, {0, 1000}, "of the noise, where white is 255");
  }
};

class Noise final : public VisualNuisance {
 public:
  explicit Noise(NoiseOptions options) : options_(options) {}

  [[nodiscard]] DrawnNuisance draw(Rng rng) const override {
    const double deviation = options_.deviation;
    return {fmt::format("deviation {:g}", deviation),
            [rng, deviation](const Picture& frame, Index number) {
              Rng own = rng.fork("frame", static_cast<std::uint64_t>(number));
              Picture out = frame;
              for (std::size_t i = 0; i < out.rgb.size(); i += 3) {
                const double noise = deviation * own.normal();
                for (std::size_t c = i; c < i + 3; ++c) {
                  out.rgb[c] = nearest_byte(out.rgb[c] + noise);
                }
              }
              return out;
            }};
  }

 private:
  NoiseOptions options_;
};

struct JitterOptions {
  double brightness = 0.5, hue = 0.3, contrast = 0, saturation = 0;

  void describe(OptionVisitor& v) {
    v.field("brightness", brightness, {0, 1}, "b: a factor in [1 - b, 1 + b]");
    v.field("hue", hue, {0, 0.5},
            "h: a turn of the colour circle in [-h, h], where 1 is once round");
    v.field("contrast", contrast, {0, 1},
            "c: a factor in [1 - c, 1 + c] of the way from mean grey");
    v.field("saturation", saturation, {0, 1}, "s: a factor in [1 - s, 1 + s] of the way from grey");
  }
};

double grey_of(const Colour& c) {
  return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2];
}

void scale_from(double origin, double factor, Colour& colour) {
  for (double& value : colour) {
    value = std::clamp(origin + factor * (value - origin), 0.0, 1.0);
  }
}

// By hue, saturation and value, the hue in [0, 1).
void turn_hue(double turn, Colour& colour) {
  const double high = std::max({colour[0], colour[1], colour[2]});
  const double low = std::min({colour[0], colour[1], colour[2]});
  const double range = high - low;
  if (range <= 0) {
    return;
  }
  double hue = high == colour[0]   ? (colour[1] - colour[2]) / range
               : high == colour[1] ? 2 + (colour[2] - colour[0]) / range
                                   : 4 + (colour[0] - colour[1]) / range;
  hue = hue / 6 + turn;
  hue -= std::floor(hue);
  for (std::size_t i = 0; i < colour.size(); ++i) {
    // The classical closed form: f(n) = v - v s max(0, min(k, 4 - k, 1)), k = (n + 6 h) mod 6.
    constexpr std::array<double, 3> kStart{5, 3, 1};
    const double k = std::fmod(kStart[i] + 6 * hue, 6.0);
    colour[i] = high - range * std::clamp(std::min(k, 4 - k), 0.0, 1.0);
  }
}

struct JitterDrawn {
  double brightness, hue, contrast, saturation;
  std::vector<Index> order;  // of 0: brightness, 1: hue, 2: contrast, 3: saturation
};

double mean_grey(const std::vector<Colour>& colours) {
  double sum = 0;
  for (const Colour& colour : colours) {
    sum += grey_of(colour);
  }
  return colours.empty() ? 0 : sum / static_cast<double>(colours.size());
}

Picture jittered(const Picture& frame, const JitterDrawn& drawn) {
  std::vector<Colour> colours(frame.rgb.size() / 3);
  for (std::size_t i = 0; i < frame.rgb.size(); ++i) {
    colours[i / 3][i % 3] = frame.rgb[i] / 255.0;
  }
  for (const Index what : drawn.order) {
    const double mean = what == 2 && drawn.contrast != 1 ? mean_grey(colours) : 0;
    for (Colour& colour : colours) {
      switch (what) {
        case 0: scale_from(0, drawn.brightness, colour); break;
        case 1: turn_hue(drawn.hue, colour); break;
        case 2: scale_from(mean, drawn.contrast, colour); break;
        default: scale_from(grey_of(colour), drawn.saturation, colour); break;
      }
    }
  }
  Picture out(frame.width, frame.height);
  for (std::size_t i = 0; i < out.rgb.size(); ++i) {
    out.rgb[i] = nearest_byte(255 * colours[i / 3][i % 3]);
  }
  return out;
}

class Jitter final : public VisualNuisance {
 public:
  explicit Jitter(JitterOptions options) : options_(options) {}

  [[nodiscard]] DrawnNuisance draw(Rng rng) const override {
    const auto factor = [&](double width) { return drawn_between(1 - width, 1 + width, rng); };
    JitterDrawn drawn{};
    drawn.brightness = factor(options_.brightness);
    drawn.hue = drawn_between(-options_.hue, options_.hue, rng);
    drawn.contrast = factor(options_.contrast);
    drawn.saturation = factor(options_.saturation);
    drawn.order = rng.permutation(4);
    std::string text = fmt::format("brightness {:.2f}, hue {:+.2f}", drawn.brightness, drawn.hue);
    return {std::move(text),
            [drawn](const Picture& frame, Index) { return jittered(frame, drawn); }};
  }

 private:
  JitterOptions options_;
};

}  // namespace

NuisanceSpec invert_nuisance() {
  return nuisance_spec<NoOptions, Invert>("invert", "every colour becomes its opposite, 255 - v");
}

NuisanceSpec noise_nuisance() {
  return nuisance_spec<NoiseOptions, Noise>(
      "noise", "Gaussian noise, one value a pixel for all channels, new in every frame");
}

NuisanceSpec jitter_nuisance() {
  return nuisance_spec<JitterOptions, Jitter>(
      "jitter", "colour jitter: brightness and hue, in an order drawn for the video");
}

}  // namespace tyto
