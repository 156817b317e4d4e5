// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/opencv/opencv_calls.hpp"

#include <algorithm>

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "tyto/core/parallel.hpp"

namespace tyto {

void quiet_opencv() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
}

void follow_thread_count() {
  if (cv::getNumThreads() != thread_count()) {
    cv::setNumThreads(thread_count());
  }
}

std::string opencv_reason(const std::exception& error) {
  const auto* known = dynamic_cast<const cv::Exception*>(&error);
  std::string reason = known != nullptr && !known->err.empty() ? known->err : error.what();
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  reason.erase(reason.find_last_not_of(" .") + 1);
  return reason;
}

}  // namespace tyto
