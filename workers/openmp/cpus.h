// The CPUs that this process may use, and one of them for each thread.
#ifndef CPUS_H
#define CPUS_H

// How many CPUs the calling thread's mask has now; at least 1.
unsigned cpus_count(void);

// Reads the calling thread's mask, for `cpus_take` and `cpus_restore`.
void cpus_read(void);

// Gives the calling thread a CPU of its own out of that mask: one of each physical core first.
void cpus_take(unsigned thread);

// Gives the calling thread the whole mask back.
void cpus_restore(void);

#endif
