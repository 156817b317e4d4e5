// SPDX-License-Identifier: Apache-2.0
// TorchScript files through LibTorch.
#include <utility>

#include <ATen/core/Dict.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include "tyto/core/files/files.hpp"
#include "tyto/nn/torch_backbone.hpp"
#include "tyto/nn/torch_tensors.hpp"

namespace tyto {

namespace {

std::string first_line(const c10::Error& error) {
  const std::string words = error.what_without_backtrace();
  return words.substr(0, words.find('\n'));
}

class ScriptBackbone final : public Backbone {
 public:
  ScriptBackbone(const std::filesystem::path& path, const Recipe& recipe,
                 const ScriptSettings& settings)
      : Backbone({.name = path.filename().string(), .recipe = recipe, .classes = settings.classes}),
        settings_(settings) {
    const MappedFile file(path);
    facts_.digest = tyto::digest(file.bytes());
    try {
      module_ = torch::jit::load(path.string());
      module_.eval();
    } catch (const c10::Error& error) {
      throw Error(ErrorKind::data, fmt::format("{}: is no TorchScript file that LibTorch reads: {}",
                                               path.string(), first_line(error)));
    }
  }

  [[nodiscard]] BackboneAnswer run(std::span<const float> inputs, Index batch,
                                   const ClipShape& shape) const override {
    TYTO_ASSERT(static_cast<Index>(inputs.size()) == batch * shape.size());
    if (batch == 0) {
      return {};
    }
    keep_thread_count();
    const at::NoGradGuard no_gradient;
    at::Tensor seen =
        view(inputs).view({batch, shape.channels, shape.frames, shape.height, shape.width});
    if (!settings_.clips) {
      if (shape.frames != 1) {
        throw Error(ErrorKind::data, fmt::format("{}: sees single pictures, not clips of {} frames",
                                                 name(), shape.frames));
      }
      seen = seen.squeeze(2);
    }
    c10::IValue made;
    try {
      made = torch::jit::Module(module_).forward({seen});
    } catch (const std::exception& error) {  // of the interpreter, too
      const std::string words = error.what();
      throw Error(ErrorKind::data,
                  fmt::format("{}: cannot take inputs of {} x {} x {} x {} (channels, frames, "
                              "height, width): {}",
                              name(), shape.channels, shape.frames, shape.height, shape.width,
                              words.substr(0, words.find('\n'))));
    }
    const at::Tensor feature = made.isTensor() ? made.toTensor() : entry(made, settings_.feature);
    const at::Tensor logits = made.isTensor() ? at::Tensor() : entry(made, settings_.logits);
    return {rows(feature, batch), logits.defined() ? rows(logits, batch) : Matrix(batch, 0)};
  }

 private:
  // Undefined where there is no such entry and it may be left out.
  [[nodiscard]] at::Tensor entry(const c10::IValue& made, const std::string& which) const {
    if (made.isGenericDict()) {
      for (const auto& item : made.toGenericDict()) {
        if (item.key().isString() && item.key().toStringRef() == which && item.value().isTensor()) {
          return item.value().toTensor();
        }
      }
    } else if (made.isTuple()) {
      const auto& elements = made.toTupleRef().elements();
      for (std::size_t i = 0; i < elements.size(); ++i) {
        if (std::to_string(i) == which && elements[i].isTensor()) {
          return elements[i].toTensor();
        }
      }
    }
    if (&which == &settings_.logits) {
      return {};
    }
    throw Error(ErrorKind::data, fmt::format("{}: returns no tensor \"{}\"", name(), which));
  }

  [[nodiscard]] Matrix rows(const at::Tensor& tensor, Index batch) const {
    if (tensor.dim() < 1 || tensor.size(0) != batch) {
      throw Error(ErrorKind::data, fmt::format("{}: returns {} rows for {} inputs", name(),
                                               tensor.dim() < 1 ? 0 : tensor.size(0), batch));
    }
    return matrix_of(tensor.to(at::kFloat).reshape({batch, -1}).contiguous());
  }

  ScriptSettings settings_;
  torch::jit::Module module_;
};

}  // namespace

std::unique_ptr<Backbone> open_torch_script(const std::filesystem::path& path, const Recipe& recipe,
                                            const ScriptSettings& settings) {
  keep_thread_count();
  return std::make_unique<ScriptBackbone>(path, recipe, settings);
}

}  // namespace tyto
