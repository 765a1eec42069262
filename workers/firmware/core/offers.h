// What this image offers: the components' algorithms, as far as their known answers are right.
#ifndef OFFERS_H
#define OFFERS_H

#include "cell.h"
#include "request.h"

// Starts the components and verifies every algorithm, once.
void offers_begin(void);

// Answers `describe` but for its first line and its last.
void offers_list(void);

// Reads provider, algorithm, operation and form. False: the refusal has been answered.
bool offers_choose(struct request *request, struct choice *choice);

// The line of the map for a choice; NULL where there is none.
const struct footprint *offers_footprint(const struct choice *choice);

#endif
