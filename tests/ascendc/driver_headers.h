// What a driver of emitted kernels includes, precompiled for all of them.
#pragma once

#include "acl/acl.h"
#include "c_api/asc_simd.h"
#include "kernel_operator.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
