// A card for tests: answers the driver's and the compiler's calls that the provider `cuda` makes, from the host's memory,
// and runs kernels.cu as C++.
//
// It is as unkind as a real one may be: what is queued runs only when its stream is waited for, the latest stream first;
// host memory of a queued copy must be pinned; and every address must lie within an allocation.
//
// FAKE_CUDA_MIB: the card's memory. FAKE_CUDA_LOST: from that launch on every call fails.

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "shims.h"

// clang-format off
#include "kernels.cu"
// clang-format on

namespace {

enum Result { success = 0, invalid_value = 1, out_of_memory = 2, invalid_handle = 400, illegal_address = 700 };

long long number(const char *name, long long otherwise) {
    const char *text = std::getenv(name);
    return text ? std::atoll(text) : otherwise;
}

struct Queue {
    std::vector<std::function<void()>> work;
};

using Ranges = std::map<std::uintptr_t, std::size_t>;

struct Card {
    Ranges memory, pinned;
    std::map<int, Queue> queues{{0, {}}};
    int newest = 0;
    long long launches = 0;
    bool lost = false;
    std::size_t total = std::size_t(number("FAKE_CUDA_MIB", 256)) << 20;

    std::size_t free() const {
        std::size_t taken = 0;
        for (const auto &range : memory) taken += range.second;
        return total - taken;
    }
};

Card &card() {
    static Card it;
    return it;
}

bool within(const Ranges &ranges, std::uintptr_t start, std::size_t bytes) {
    auto range = ranges.upper_bound(start);
    if (range == ranges.begin()) return bytes == 0;
    --range;
    return start + bytes <= range->first + range->second;
}

void run(Queue &queue) {
    for (auto &work : queue.work) work();
    queue.work.clear();
}

Result queue(void *stream, std::function<void()> work) {
    auto found = card().queues.find(int(std::uintptr_t(stream)));
    if (found == card().queues.end()) return invalid_handle;
    found->second.work.push_back(std::move(work));
    return success;
}

Result copy(void *to, const void *from, std::size_t bytes, void *stream) {
    return queue(stream, [=] { std::memcpy(to, from, bytes); });
}

template <typename T> T &parameter(void **parameters, int index) { return *static_cast<T *>(parameters[index]); }

}  // namespace

#define ALIVE if (card().lost) return illegal_address

extern "C" {

int cuInit(unsigned) { return success; }
int cuDriverGetVersion(int *version) { return *version = 12080, success; }
int cuDeviceGetCount(int *count) { return *count = 1, success; }
int cuDeviceGet(int *device, int index) { return *device = index, success; }
int cuDeviceGetName(char *name, int length, int) { return std::snprintf(name, length, "Fake card"), success; }
int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &card(), success; }
int cuCtxSetCurrent(void *) { return success; }

int cuDeviceGetAttribute(int *value, int attribute, int) {
    switch (attribute) {
    case 16: return *value = 2, success;  // multiprocessors
    case 75: return *value = 9, success;  // compute capability
    case 76: return *value = 0, success;
    default: return invalid_value;
    }
}

int cuGetErrorName(int error, const char **name) {
    *name = error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                       : "CUDA_ERROR_INVALID_VALUE";
    return success;
}
int cuGetErrorString(int, const char **text) { return *text = "as the fake card says", success; }

int cuMemGetInfo_v2(std::size_t *free, std::size_t *total) {
    ALIVE;
    *free = card().free();
    *total = card().total;
    return success;
}
int cuMemAlloc_v2(std::uintptr_t *address, std::size_t bytes) {
    ALIVE;
    if (bytes > card().free()) return out_of_memory;
    void *memory = std::malloc(bytes);
    // Nothing may rely on what was there before.
    std::memset(memory, 0xa5, bytes);
    *address = std::uintptr_t(memory);
    card().memory[*address] = bytes;
    return success;
}
int cuMemFree_v2(std::uintptr_t address) {
    ALIVE;
    for (auto &named : card().queues) run(named.second);
    if (!card().memory.erase(address)) return invalid_value;
    std::free(reinterpret_cast<void *>(address));
    return success;
}
int cuMemHostAlloc(void **memory, std::size_t bytes, unsigned flags) {
    ALIVE;
    // Write-combined memory would make every read of an output slow.
    if (flags != 0) return invalid_value;
    *memory = std::malloc(bytes);
    card().pinned[std::uintptr_t(*memory)] = bytes;
    return success;
}
int cuMemFreeHost(void *memory) {
    ALIVE;
    if (!card().pinned.erase(std::uintptr_t(memory))) return invalid_value;
    std::free(memory);
    return success;
}

int cuMemcpyHtoD_v2(std::uintptr_t to, const void *from, std::size_t bytes) {
    ALIVE;
    if (!within(card().memory, to, bytes)) return invalid_value;
    // A real driver returns when it has the bytes; they reach the card later.
    auto staged = std::make_shared<std::vector<char>>(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
    return queue(nullptr, [=] { std::memcpy(reinterpret_cast<void *>(to), staged->data(), staged->size()); });
}
int cuMemcpyDtoH_v2(void *to, std::uintptr_t from, std::size_t bytes) {
    ALIVE;
    if (!within(card().memory, from, bytes)) return invalid_value;
    run(card().queues[0]);
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return success;
}
int cuMemcpyHtoDAsync_v2(std::uintptr_t to, const void *from, std::size_t bytes, void *stream) {
    ALIVE;
    if (!within(card().memory, to, bytes) || !within(card().pinned, std::uintptr_t(from), bytes)) return invalid_value;
    return copy(reinterpret_cast<void *>(to), from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void *to, std::uintptr_t from, std::size_t bytes, void *stream) {
    ALIVE;
    if (!within(card().memory, from, bytes) || !within(card().pinned, std::uintptr_t(to), bytes)) return invalid_value;
    return copy(to, reinterpret_cast<void *>(from), bytes, stream);
}
int cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void *stream) {
    ALIVE;
    if (!within(card().memory, from, bytes) || !within(card().memory, to, bytes)) return invalid_value;
    return copy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes, stream);
}

int cuStreamCreate(void **stream, unsigned) {
    ALIVE;
    card().queues[++card().newest];
    *stream = reinterpret_cast<void *>(std::uintptr_t(card().newest));
    return success;
}
int cuStreamSynchronize(void *stream) {
    ALIVE;
    auto found = card().queues.find(int(std::uintptr_t(stream)));
    if (found == card().queues.end()) return invalid_handle;
    run(found->second);
    return success;
}
int cuStreamDestroy_v2(void *stream) {
    ALIVE;
    return card().queues.erase(int(std::uintptr_t(stream))) ? success : invalid_handle;
}
int cuCtxSynchronize() {
    ALIVE;
    for (auto named = card().queues.rbegin(); named != card().queues.rend(); ++named) run(named->second);
    return success;
}

int cuModuleLoadData(void **module, const void *image) {
    if (std::strcmp(static_cast<const char *>(image), "sm_90")) return invalid_value;
    return *module = &card(), success;
}
int cuModuleGetFunction(void **function, void *, const char *name) {
    return *function = new std::string(name), success;
}
int cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned shared,
                   void *stream, void **parameters, void **) {
    if (++card().launches == number("FAKE_CUDA_LOST", -1)) card().lost = true;
    ALIVE;
    const std::string &name = *static_cast<std::string *>(function);
    if (grid == 0 || threads == 0 || threads > 1024 || shared > 48 * 1024) return invalid_value;
    if (name == "make_table") {
        auto table = parameter<u32 *>(parameters, 0);
        return queue(stream, [=] { launch(grid, threads, false, [=] { make_table(table); }); });
    }
    if (name == "expand_key") {
        auto key = parameter<u32 *>(parameters, 0);
        auto words = parameter<RoundKeys *>(parameters, 1);
        auto planes = parameter<PlaneKeys *>(parameters, 2);
        return queue(stream, [=] { launch(grid, threads, false, [=] { expand_key(key, words, planes); }); });
    }
    auto data = parameter<uint4 *>(parameters, 0);
    auto blocks = parameter<u64>(parameters, 1);
    if (!within(card().memory, std::uintptr_t(data), blocks * 16)) return invalid_value;
    if (name == "tables") {
        if (shared != sizeof copies) return invalid_value;
        auto table = parameter<u32 *>(parameters, 2);
        auto counter = parameter<Counter>(parameters, 3);
        auto keys = parameter<RoundKeys>(parameters, 4);
        return queue(stream, [=] { launch(grid, threads, true, [&] { tables(data, blocks, table, counter, keys); }); });
    }
    if (name == "bitsliced") {
        auto counter = parameter<Counter>(parameters, 2);
        auto keys = parameter<PlaneKeys>(parameters, 3);
        return queue(stream, [=] { launch(grid, threads, false, [&] { bitsliced(data, blocks, counter, keys); }); });
    }
    if (name == "exclusive_or") {
        auto key = parameter<uint4 *>(parameters, 2);
        auto units = parameter<u32>(parameters, 3), start = parameter<u32>(parameters, 4);
        return queue(stream, [=] { launch(grid, threads, false, [=] { exclusive_or(data, blocks, key, units, start); }); });
    }
    if (name == "invert") return queue(stream, [=] { launch(grid, threads, false, [=] { invert(data, blocks); }); });
    return invalid_value;
}

// The compiler: its machine code is the architecture's name.
static std::string architecture;
int nvrtcVersion(int *major, int *minor) { return *major = 12, *minor = 9, success; }
int nvrtcGetNumSupportedArchs(int *count) { return *count = 2, success; }
int nvrtcGetSupportedArchs(int *known) { return known[0] = 70, known[1] = 90, success; }
int nvrtcCreateProgram(void **program, const char *source, const char *, int, const char **, const char **) {
    *program = &architecture;
    return std::strstr(source, "tables(") ? success : invalid_value;
}
int nvrtcCompileProgram(void *, int count, const char **options) {
    const std::string first = count ? options[0] : "";
    architecture = first.substr(first.find('=') + 1);
    return success;
}
int nvrtcGetCUBINSize(void *, std::size_t *bytes) { return *bytes = architecture.size(), success; }
int nvrtcGetCUBIN(void *, char *code) { return std::memcpy(code, architecture.data(), architecture.size()), success; }
int nvrtcDestroyProgram(void **) { return success; }
int nvrtcGetProgramLogSize(void *, std::size_t *bytes) { return *bytes = 1, success; }
int nvrtcGetProgramLog(void *, char *log) { return *log = 0, success; }
}
