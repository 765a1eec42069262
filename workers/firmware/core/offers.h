// What this image offers: the components' algorithms, as far as their known answers are right.
#ifndef OFFERS_H
#define OFFERS_H

#include "algorithms.h"
#include "component.h"
#include "request.h"

enum operation { SEAL, OPEN, KEY_SETUP };

// What a request is about.
struct choice {
    const struct component *component;
    const struct offer *offer;
    const struct algorithm *algorithm;
    uint8_t operation; // enum operation
    uint8_t form;      // enum form
};

// Starts the components and verifies every algorithm, once.
void offers_begin(void);

// Answers `describe` but for its first line and its last.
void offers_list(void);

// Reads provider, algorithm, operation and form. False: the refusal has been answered.
bool offers_choose(struct request *request, struct choice *choice);

// The line of the map for a choice; NULL where there is none.
const struct footprint *offers_footprint(const struct choice *choice);

#endif
