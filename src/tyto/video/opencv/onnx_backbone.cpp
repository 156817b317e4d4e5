// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/opencv/onnx_backbone.hpp"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <opencv2/dnn.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/video/opencv/opencv_calls.hpp"

namespace tyto {

namespace {

// Everything of a recipe that changes features, in words.
std::string recipe_words(const Recipe& r) {
  return fmt::format("{} {} {}x{} {}x{} {} {} {} {} {} {} {} {} {}", static_cast<int>(r.resizer),
                     static_cast<int>(r.fit), r.height, r.width, r.crop_height, r.crop_width,
                     static_cast<int>(r.crop_rounding), r.mean, r.deviation, r.blue_first,
                     r.sampling, r.frames, r.stride, r.clips, r.crops);
}

class OnnxBackbone final : public Backbone {
 public:
  OnnxBackbone(const std::filesystem::path& path, const Recipe& recipe, const OnnxOptions& options)
      : Backbone({.name = path.stem().string(), .recipe = recipe, .classes = options.classes}),
        file_(path.string()) {
    const std::string bytes = read_file(path);
    if (bytes.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: the file is empty", file_));
    }
    net_ = opencv_call(file_, "OpenCV cannot read it as an ONNX network", [&] {
      cv::dnn::Net net = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
      net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
      net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
      return net;
    });
    const std::vector<std::string> layers = net_.getLayerNames();
    if (layers.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: the network has no layers", file_));
    }
    outputs_.push_back(options.feature_layer.empty()
                           ? std::string(net_.getUnconnectedOutLayersNames().back())
                           : layer_called(options.feature_layer, layers));
    if (!options.logits_layer.empty()) {
      outputs_.push_back(layer_called(options.logits_layer, layers));
    }
    const std::string all = fmt::format("{} {} {}", recipe_words(recipe), fmt::join(outputs_, " "),
                                        tyto::digest(std::as_bytes(std::span(bytes))));
    facts_.digest = tyto::digest(std::as_bytes(std::span(all)));
  }

  [[nodiscard]] BackboneAnswer run(std::span<const float> inputs, Index batch,
                                   const ClipShape& shape) const override {
    TYTO_ASSERT(batch > 0 && std::ssize(inputs) == batch * shape.size());
    if (batch > 1 && !one_by_one_) {
      if (std::optional<BackboneAnswer> answer = try_batch(inputs, batch, shape)) {
        return *std::move(answer);
      }
      one_by_one_ = true;  // made for one input: some files have that written into a layer
    }
    BackboneAnswer answer;
    for (Index i = 0; i < batch; ++i) {
      const BackboneAnswer one =
          forward(inputs.subspan(at(i * shape.size()), at(shape.size())), 1, shape);
      if (i == 0) {
        answer.features.resize(batch, one.features.cols());
        answer.logits.resize(batch, one.logits.cols());
      }
      answer.features.row(i) = one.features;
      answer.logits.row(i) = one.logits;
    }
    return answer;
  }

 private:
  // OpenCV calls a node of the file onnx_node!NAME.
  [[nodiscard]] std::string layer_called(const std::string& name,
                                         const std::vector<std::string>& layers) const {
    std::vector<std::string> names;
    for (const std::string& layer : layers) {
      if (layer == name || layer == "onnx_node!" + name) {
        return layer;
      }
      names.push_back(layer.starts_with("onnx_node!") ? layer.substr(10) : layer);
    }
    throw Error(ErrorKind::config,
                fmt::format("{}: it has no layer \"{}\"{}; its last is \"{}\"", file_, name,
                            did_you_mean(name, names), names.back()));
  }

  [[nodiscard]] std::optional<BackboneAnswer> try_batch(std::span<const float> inputs, Index batch,
                                                        const ClipShape& shape) const {
    try {
      return forward(inputs, batch, shape);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] BackboneAnswer forward(std::span<const float> inputs, Index batch,
                                       const ClipShape& shape) const {
    std::vector<int> sizes{static_cast<int>(batch), static_cast<int>(shape.channels),
                           static_cast<int>(shape.height), static_cast<int>(shape.width)};
    if (shape.frames > 1 || recipe().frames > 1) {
      sizes.insert(sizes.begin() + 2, static_cast<int>(shape.frames));
    }
    return opencv_call(file_, "the network cannot take this input", [&] {
      // setInput copies.
      const cv::Mat blob(sizes, CV_32F, const_cast<float*>(inputs.data()));
      net_.setInput(blob);
      std::vector<cv::Mat> outputs;
      net_.forward(outputs, outputs_);
      BackboneAnswer answer;
      answer.features = rows_of(outputs[0], batch);
      answer.logits = outputs.size() > 1 ? rows_of(outputs[1], batch) : Matrix(batch, 0);
      return answer;
    });
  }

  [[nodiscard]] Matrix rows_of(const cv::Mat& output, Index batch) const {
    if (output.type() != CV_32F || output.size[0] != batch || !output.isContinuous()) {
      throw Error(ErrorKind::data, fmt::format("{}: the network gives {} rows for {} inputs", file_,
                                               output.size[0], batch));
    }
    return Eigen::Map<const Matrix>(output.ptr<float>(), batch,
                                    static_cast<Index>(output.total()) / batch);
  }

  std::string file_;
  std::vector<std::string> outputs_;
  mutable cv::dnn::Net net_;  // remembers its last input
  mutable bool one_by_one_ = false;
};

}  // namespace

std::unique_ptr<Backbone> open_onnx_file(const std::filesystem::path& path, const Recipe& recipe,
                                         const OnnxOptions& options) {
  return std::make_unique<OnnxBackbone>(path, recipe, options);
}

}  // namespace tyto
