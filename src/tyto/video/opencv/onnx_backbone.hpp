// SPDX-License-Identifier: Apache-2.0
// Networks in ONNX files, run by OpenCV.
#pragma once

#include "tyto/video/module.hpp"

namespace tyto {

std::unique_ptr<Backbone> open_onnx_file(const std::filesystem::path& path, const Recipe& recipe,
                                         const OnnxOptions& options);

}  // namespace tyto
