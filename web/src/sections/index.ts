// SPDX-License-Identifier: Apache-2.0
// One line per section; each registers itself.
import "./summary";
import "./tests";
import "./discovery";
import "./tasks";
import "./detection";
import "./categories";
import "./progress";
import "./world";
import "./confusion";
import "./novelty";
import "./reliability";
import "./nuisance";
import "./space";
import "./samples";
import "./groups";
import "./cost";
import "./provenance";
