// SPDX-License-Identifier: Apache-2.0
// Student's t: how far a mean of few values may lie off.
#pragma once

namespace tyto {

// Probability that |t| is `t` or more, with this many degrees of freedom (need not be whole).
double student_two_sided(double t, double degrees);

// The t that |t| stays below with probability `level`: 12.7 of 95 % at 1 degree, 1.96 at many.
double student_quantile(double level, double degrees);

}  // namespace tyto
