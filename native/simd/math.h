// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of point-wise loops: Note [Mathematical functions] in math_core.h.
#pragma once

#include "simd/math_complex.h"
#include "simd/math_complex_near.h"
#include "simd/math_core.h"
#include "simd/math_double.h"
#include "simd/math_double_angles.h"
#include "simd/math_error.h"
#include "simd/math_exponential.h"
#include "simd/math_power.h"
#include "simd/math_rounding.h"
#include "simd/math_single.h"
#include "simd/math_trigonometric.h"
