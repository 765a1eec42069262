// Threads that are woken together tend to share a CPU for longer than a sample, so each is bound to one of its own. The
// mask is read anew for each team of threads, because the harness may have changed it since the process began; that is
// why OMP_PROC_BIND, which the runtime reads once, does not do here.
#define _GNU_SOURCE
#include "cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 8192

static cpu_set_t *mask;
static size_t mask_bytes;
static size_t order[MOST]; // CPUs of the mask, in the order in which threads take them
static unsigned count;

static bool get(void) {
    if (!mask) {
        mask = CPU_ALLOC(MOST);
        mask_bytes = CPU_ALLOC_SIZE(MOST);
    }
    return mask && sched_getaffinity(0, mask_bytes, mask) == 0;
}

unsigned cpus_count(void) {
    int cpus = get() ? CPU_COUNT_S(mask_bytes, mask) : 1;
    return cpus > 0 ? (unsigned)cpus : 1;
}

// How many hardware threads of the CPU's core are in the mask and have a lower number; 0 where the system does not say.
static unsigned char siblings_before(size_t cpu) {
    char path[96];
    unsigned char before = 0;
    size_t first, last;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fscanf(file, "%zu", &first) == 1) {
        int next = fgetc(file);
        last = first;
        if (next == '-') {
            if (fscanf(file, "%zu", &last) != 1)
                break;
            fgetc(file); // the comma
        }
        for (size_t sibling = first; sibling <= last && sibling < cpu; sibling++)
            before = (unsigned char)(before + (CPU_ISSET_S(sibling, mask_bytes, mask) != 0));
    }
    fclose(file);
    return before;
}

void cpus_read(void) {
    count = 0;
    if (!get())
        return;
    static unsigned char before[MOST];
    unsigned found = 0, cpus = cpus_count();
    for (size_t cpu = 0; cpu < MOST && found < cpus; cpu++)
        if (CPU_ISSET_S(cpu, mask_bytes, mask)) {
            before[cpu] = siblings_before(cpu);
            found++;
        }
    for (int rank = 0; count < found && rank < 256; rank++)
        for (size_t cpu = 0; cpu < MOST; cpu++)
            if (CPU_ISSET_S(cpu, mask_bytes, mask) && before[cpu] == rank)
                order[count++] = cpu;
}

void cpus_take(unsigned thread) {
    if (count == 0)
        return;
    // A set of its own for each call: all threads call this at once.
    cpu_set_t *own = CPU_ALLOC(MOST);
    if (!own)
        return;
    CPU_ZERO_S(mask_bytes, own);
    CPU_SET_S(order[thread % count], mask_bytes, own);
    (void)sched_setaffinity(0, mask_bytes, own); // where it is refused, the system decides
    CPU_FREE(own);
}

void cpus_restore(void) {
    if (count > 0)
        (void)sched_setaffinity(0, mask_bytes, mask);
}
