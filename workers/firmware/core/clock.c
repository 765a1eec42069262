#include "clock.h"

#include "port.h"
#include "reply.h"
#include "sample.h"
#include "ticks.h"

#define READINGS 256u

uint64_t clock_call(void) {
    uint64_t begin = port_ticks();
    for (uint16_t i = 1; i < READINGS; i++)
        port_ticks();
    return ticks_worth((port_ticks() - begin + READINGS / 2) / READINGS);
}

// The smallest step other than 0 between two readings. A counter of instructions or cycles has no coarser step than
// one, even where its ticks are smaller.
static uint64_t clock_step(void) {
    if (ticks_are_counts())
        return ticks_worth(1) > 1 ? ticks_worth(1) : 1;
    uint64_t step = 0, before = port_ticks();
    for (uint16_t steps = 0; steps < READINGS;) {
        uint64_t now = port_ticks();
        if (now == before)
            continue;
        if (step == 0 || now - before < step)
            step = now - before;
        before = now;
        steps++;
    }
    return ticks_worth(step);
}

static enum outcome do_nothing(const struct call *call) {
    (void)call;
    return DONE;
}

// The loop that seals, around an empty call.
static uint64_t clock_loop(void) {
    static const struct offer nothing = {.algorithm = "", .path = "", .seal = do_nothing};
    struct work *work = sample_work();
    work_end(work);
    work->what = (struct choice){.offer = &nothing, .operation = SEAL, .form = INTO};
    uint64_t ticks = work_run(work, 1, READINGS).ticks;
    return ticks_worth((ticks + READINGS / 2) / READINGS);
}

void answer_clock(struct request *request) {
    (void)request;
    bool counts = ticks_are_counts();
    reply_is(TEXT("clock"));
    reply_number(counts ? TEXT("step") : TEXT("step_ns"), clock_step());
    reply_number(counts ? TEXT("call") : TEXT("call_ns"), clock_call());
    reply_number(counts ? TEXT("loop") : TEXT("loop_ns"), clock_loop());
    reply_end();
}
