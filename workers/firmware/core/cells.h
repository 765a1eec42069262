// The prepared cells.
#ifndef CELLS_H
#define CELLS_H

#include "cell.h"
#include "request.h"

// The cell that a request names; NULL: the request has an error.
struct cell *cell_of(struct request *request);

void answer_prepare(struct request *request);

#endif
