// SPDX-License-Identifier: Apache-2.0
// Against Pillow and torch by values made with tests/golden/make_resized.py, against OpenCV itself.
#include "video/formula_picture.hpp"
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/video/prepare.hpp"
#include "tyto/video/resize/resizers.hpp"

namespace tyto {
namespace {

using testing_support::checksum;
using testing_support::formula_picture;

struct PillowCase {
  Index width, height, out_width, out_height;
  std::uint64_t bilinear, bicubic;
};

TEST(Resize, gives_the_pixels_of_pillow) {
  const std::vector<PillowCase> cases{
      {320, 240, 341, 256, 0x5b65bdac822ef4f8U, 0x4edf5a6185fce32cU},
      {340, 256, 224, 224, 0xccd9d73832141bc2U, 0x74164cc14b4f3304U},
      {176, 144, 312, 256, 0x41885c8790d4313dU, 0xfc20fe03a574f555U},
      {37, 53, 11, 7, 0xc4a567e92a2ed530U, 0x02c8926f69e417e4U},
      {11, 7, 37, 53, 0xe4ce88fc23bf9e59U, 0xb877de76c0c78221U},
      {256, 144, 256, 100, 0x1516e1dacc5776cbU, 0xb10286690926f334U},
      {1, 1, 5, 3, 0x2fe55303cc436a04U, 0x2fe55303cc436a04U},
      {640, 5, 64, 5, 0x1f487153399fc60dU, 0x02784a2b6e0f5ca3U},
      {31, 500, 224, 20, 0x0cdb3a76a433008aU, 0x7aeaa90896aadfb8U},
  };
  for (const PillowCase& c : cases) {
    const Picture source = formula_picture(c.width, c.height);
    EXPECT_EQ(checksum(resized(source, Resizer::pillow_bilinear, c.out_width, c.out_height)),
              c.bilinear)
        << c.width << " x " << c.height;
    EXPECT_EQ(checksum(resized(source, Resizer::pillow_bicubic, c.out_width, c.out_height)),
              c.bicubic)
        << c.width << " x " << c.height;
  }
}

TEST(Resize, gives_the_pixels_of_opencv_for_areas) {
  Rng rng(5, "areas");
  for (int i = 0; i < 300; ++i) {
    Index width = 1 + rng.below(i % 5 == 0 ? 500 : 60);
    Index height = 1 + rng.below(i % 5 == 0 ? 300 : 60);
    Index out_width = 1 + rng.below(90);
    Index out_height = 1 + rng.below(90);
    if (i % 4 == 0) {  // whole multiples have a rule of their own, and 2 x 2 another
      const Index times = 2 + i / 4 % 3;
      width = out_width * times;
      height = out_height * (i % 8 == 0 ? times : 2);
    }
    Picture source(width, height);
    for (std::uint8_t& value : source.rgb) {
      value = static_cast<std::uint8_t>(rng.below(256));
    }
    const cv::Mat mat(static_cast<int>(height), static_cast<int>(width), CV_8UC3,
                      source.rgb.data());
    Picture expected(out_width, out_height);
    cv::Mat out(static_cast<int>(out_height), static_cast<int>(out_width), CV_8UC3,
                expected.rgb.data());
    cv::resize(mat, out, out.size(), 0, 0, cv::INTER_AREA);
    ASSERT_EQ(resized(source, Resizer::area, out_width, out_height), expected)
        << width << " x " << height << " to " << out_width << " x " << out_height;
  }
}

struct TorchCase {
  Index width, height, out_width, out_height;
  float first, middle, last;
  double sum;
};

TEST(Resize, gives_the_values_of_torch) {
  const std::vector<TorchCase> cases{
      {34, 25, 22, 22, -1.953125F, 0.0809659064F, -0.153765425F, -9.70035083},
      {17, 14, 31, 25, -2.0F, -0.171875045F, -0.92187506F, -69.3900794},
      {8, 5, 8, 9, -2.0F, 0.218750104F, 1.46875F, -33.6458321},
      {50, 3, 7, 3, -1.6640625F, -1.82812512F, 0.608258724F, -3.15625141},
  };
  for (const TorchCase& c : cases) {
    std::vector<float> plane;
    for (Index y = 0; y < c.height; ++y) {
      for (Index x = 0; x < c.width; ++x) {
        plane.push_back(static_cast<float>((x * 7 + y * 13 + x * y % 17 * 11) % 256) / 64.0F -
                        2.0F);
      }
    }
    std::vector<float> out(at(c.out_width * c.out_height));
    torch_resized(plane.data(), c.width, c.height, out.data(), c.out_width, c.out_height);
    double sum = 0.0;
    for (const float value : out) {
      sum += static_cast<double>(value);
    }
    EXPECT_NEAR(out.front(), c.first, 1e-6);
    EXPECT_NEAR(out[out.size() / 2], c.middle, 1e-6);
    EXPECT_NEAR(out.back(), c.last, 1e-6);
    EXPECT_NEAR(sum, c.sum, 1e-4);
  }
}

TEST(Resize, to_the_same_size_changes_nothing) {
  const Picture source = formula_picture(13, 9);
  for (const Resizer resizer : {Resizer::pillow_bilinear, Resizer::pillow_bicubic, Resizer::area}) {
    EXPECT_EQ(resized(source, resizer, 13, 9), source);
  }
  EXPECT_THROW(resized(source, Resizer::none, 5, 5), Error);
  EXPECT_THROW(resized(source, Resizer::torch_bilinear, 5, 5), Error);
}

}  // namespace
}  // namespace tyto
