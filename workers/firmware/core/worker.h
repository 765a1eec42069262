// The worker: it answers lines until the input ends.
#ifndef WORKER_H
#define WORKER_H

// What a board's main, setup or app_main calls. It promises one answer for each line (`describe`: a list), never a
// crash whatever a line contains, and returns only at the end of the input.
void worker_run(void);

#endif
