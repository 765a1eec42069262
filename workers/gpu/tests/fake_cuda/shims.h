// What CUDA's compiler gives to kernels.cu, for a C++ compiler: threads run one after another.
//
// A kernel with a barrier runs twice for each block: at first each thread returns at the barrier, then all do everything.
// The first part must write the same whenever it runs.

#pragma once
#include <cstdint>
#include <cstdlib>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct Index {
    unsigned x, y, z;
};
struct uint4 {
    unsigned x, y, z, w;
};

static thread_local Index threadIdx, blockIdx, blockDim, gridDim;
static thread_local bool returns_at_barrier;

#define __syncthreads() \
    do { \
        if (returns_at_barrier) return; \
    } while (0)

// `extern __shared__ u32 copies[]` in a kernel becomes `extern u32 copies[]`: this array.
#define __shared__
unsigned copies[8 * 1024];

template <typename Call> static void launch(unsigned blocks, unsigned threads, bool has_barrier, Call call) {
    gridDim = {blocks, 1, 1};
    blockDim = {threads, 1, 1};
    for (unsigned block = 0; block < blocks; block++) {
        for (int pass = has_barrier ? 0 : 1; pass < 2; pass++) {
            returns_at_barrier = pass == 0;
            for (unsigned thread = 0; thread < threads; thread++) {
                blockIdx = {block, 0, 0};
                threadIdx = {thread, 0, 0};
                call();
            }
        }
    }
}
