// `sample` and `release`, and what the timed calls left in the buffers.
#ifndef SAMPLE_H
#define SAMPLE_H

#include "work.h"

void answer_sample(struct request *request);
void answer_release(struct request *request);

// The work of the latest sample, if it was this cell's iterations `first` to `last` and nothing has used the buffers
// since; else NULL.
const struct work *sample_left(const struct cell *cell, uint64_t first, uint64_t last);

// The buffers are used for something else.
void sample_forget(void);

// What a sample is made of, for single calls too. Sets the cell up and warms it up; false: the error has been answered.
bool sample_begin(struct cell *cell, uint64_t warmup);

// The cell's next iterations. Their numbers are used up before they run, so that none occurs twice even if one fails.
struct stretch sample_repeat(struct cell *cell, uint32_t count);

// Answers that a call failed.
void sample_failed(enum outcome outcome, const struct cell *cell);

// Room for a cell's work, one at a time: taking it forgets what the latest sample left.
struct work *sample_work(void);

#endif
