// The requests whose answers are a cipher's output, or its hash.
#ifndef OUTPUT_H
#define OUTPUT_H

#include "request.h"

void answer_check(struct request *request);
void answer_digest(struct request *request);

#endif
