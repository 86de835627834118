// MMK_CLONES before a function: compiled for several vector widths, the best one chosen when the
// program starts. Only for loops whose result does not depend on the width.
#pragma once

#if defined(__x86_64__) && defined(__clang__)
#define MMK_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MMK_CLONES
#endif
