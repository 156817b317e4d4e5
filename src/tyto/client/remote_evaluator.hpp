// SPDX-License-Identifier: Apache-2.0
// The evaluation behind a wire: the public Python server or `tyto serve`.
//
// Whoever was killed repeats the calls since the last commit, and whoever lost an answer repeats
// that call; a server that knows the first refuses the second. Such a refusal (DetectionRepost of
// a post, TestCompleted of a post or a completion, SessionEnded of a completion or an end) is then
// taken as done, and only then: in a retry, or in a test that this process is not yet in step
// with. It is in step with tests of a session that it began, with a test whose round 0 it asked
// for, and with one that took a post of it.
#pragma once

#include <memory>

#include "tyto/client/http_client.hpp"
#include "tyto/sail_on/evaluator.hpp"

namespace tyto::client {

// Nothing is sent before the first call. `save` writes nothing, since the state is the server's;
// `load` goes back to a commit, so that what follows may be repeats. Results of a round go into one
// request, which a server takes or refuses whole. Throws Error(config) for an address that is none.
// One thread at a time; the progress must live as long.
std::unique_ptr<sail_on::Evaluator> connect(const ServerAddress& address, Progress& progress);

}  // namespace tyto::client
