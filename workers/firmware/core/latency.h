// `latency`, where target.h gives room for its times: MAX_LATENCY of them; 0: it is unsupported.
#ifndef LATENCY_H
#define LATENCY_H

#include "sample.h"

void answer_latency(struct request *request);

#endif
