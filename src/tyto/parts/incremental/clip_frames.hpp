// SPDX-License-Identifier: Apache-2.0
// What a network is shown of the frames chosen of clips (core/segments.hpp chooses them).
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// Beside each row its difference to the next one of the same clip, the last row to itself: 0. A
// mean over a clip's frames tells nothing of their order, one over its changes does.
Matrix with_changes(const Matrix& rows, Index segments);

// The rows of each clip in an order drawn from what its first row holds: a probe of what the order
// tells. The same clip, the same order.
Matrix shuffled_clips(const Matrix& rows, Index segments);

}  // namespace tyto
