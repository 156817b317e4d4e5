// SPDX-License-Identifier: Apache-2.0
// One line per section; each registers itself.
import "./summary";
import "./progress";
