#include "offers.h"

#include "reply.h"
#include "verify.h"

#include <string.h>

#define MAX_OFFERS 48u // of all components of an image

// The known answer that failed, for each offer in the table's order; 0: none.
static uint8_t failed[MAX_OFFERS];
// Why a component cannot run, for each.
#define MAX_COMPONENTS 12u
static const char *absent[MAX_COMPONENTS];

static uint8_t components(void) {
    return table.count < MAX_COMPONENTS ? table.count : MAX_COMPONENTS;
}

void offers_begin(void) {
    static bool begun;
    if (begun)
        return;
    begun = true;
    uint8_t index = 0;
    for (uint8_t i = 0; i < components(); i++) {
        const struct component *component = table.components[i];
        absent[i] = component->start ? component->start() : 0;
        for (uint8_t j = 0; j < component->count && index < MAX_OFFERS; j++)
            failed[index++] = absent[i] ? 0 : verify(component->offers[j]);
    }
}

static void list_offer(const struct component *component, const struct offer *offer) {
    reply_is(TEXT("offer"));
    reply_text(TEXT("provider"), component->provider);
    reply_text(TEXT("version"), offer->version ? offer->version : component->version());
    reply_text(TEXT("algorithm"), offer->algorithm);
    reply_flash(TEXT("operations"), offer->inside ? TEXT("seal,open") : TEXT("key-setup,seal,open"));
    reply_flash(TEXT("forms"), offer->forms == INTO       ? TEXT("into")
                               : offer->forms == IN_PLACE ? TEXT("in-place")
                                                          : TEXT("in-place,into"));
    reply_text(TEXT("path"), offer->path);
    if (offer->inside)
        reply_flash(TEXT("setup"), TEXT("inside"));
    reply_end();
}

static void list_failed(const struct component *component, const struct offer *offer, uint8_t answer) {
    reply_is(TEXT("absent"));
    reply_text(TEXT("provider"), component->provider);
    reply_text(TEXT("algorithm"), offer->algorithm);
    reply_why(TEXT("known answer % failed"), answer);
    reply_end();
}

void offers_list(void) {
    offers_begin();
    uint8_t index = 0;
    for (uint8_t i = 0; i < components(); i++) {
        const struct component *component = table.components[i];
        if (absent[i]) {
            reply_is(TEXT("absent"));
            reply_text(TEXT("provider"), component->provider);
            reply_text(TEXT("why"), absent[i]);
            reply_end();
        }
        for (uint8_t j = 0; j < component->count && index < MAX_OFFERS; j++, index++) {
            if (absent[i])
                continue;
            if (failed[index])
                list_failed(component, component->offers[j], failed[index]);
            else
                list_offer(component, component->offers[j]);
        }
    }
}

// Finds provider and algorithm; false: the refusal has been answered.
static bool find_offer(const char *provider, const char *algorithm, struct choice *choice) {
    bool known = false;
    uint8_t index = 0;
    for (uint8_t i = 0; i < components(); i++) {
        const struct component *component = table.components[i];
        bool named = strcmp(component->provider, provider) == 0;
        known |= named;
        for (uint8_t j = 0; j < component->count && index < MAX_OFFERS; j++, index++) {
            const struct offer *offer = component->offers[j];
            if (!named || absent[i] || strcmp(offer->algorithm, algorithm) != 0)
                continue;
            if (failed[index]) {
                reply_unsupported(TEXT("known answer % of this algorithm failed; see describe"), failed[index]);
                return false;
            }
            choice->component = component;
            choice->offer = offer;
            choice->algorithm = algorithm_named(algorithm);
            return true;
        }
    }
    reply_unsupported(known ? TEXT("the provider does not offer this algorithm here; see describe")
                            : TEXT("this worker does not have the provider; see describe"),
                      0);
    return false;
}

static bool choose_operation(const char *operation, struct choice *choice) {
    bool known = true;
    if (strcmp(operation, "seal") == 0)
        choice->operation = SEAL;
    else if (strcmp(operation, "open") == 0)
        choice->operation = OPEN;
    else if (strcmp(operation, "key-setup") == 0 && !choice->offer->inside)
        choice->operation = KEY_SETUP;
    else
        known = false;
    if (!known)
        reply_unsupported(TEXT("the algorithm does not have this operation here; see describe"), 0);
    return known;
}

static bool choose_form(const char *form, struct choice *choice) {
    uint8_t forms = choice->offer->forms;
    if (!form)
        choice->form = forms & INTO ? INTO : IN_PLACE;
    else if (strcmp(form, "into") == 0)
        choice->form = forms & INTO;
    else if (strcmp(form, "in-place") == 0)
        choice->form = forms & IN_PLACE;
    else
        choice->form = 0;
    if (!choice->form)
        reply_unsupported(TEXT("the algorithm does not have this form here; see describe"), 0);
    return choice->form != 0;
}

bool offers_choose(struct request *request, struct choice *choice) {
    offers_begin();
    const char *provider = request_text(request, TEXT("provider"));
    const char *algorithm = request_text(request, TEXT("algorithm"));
    const char *operation = request_text(request, TEXT("operation"));
    const char *form = request_maybe_text(request, TEXT("form"));
    if (request_failed(request))
        return false;
    return find_offer(provider, algorithm, choice) && choose_operation(operation, choice) && choose_form(form, choice);
}

const struct footprint *offers_footprint(const struct choice *choice) {
    for (uint8_t i = 0; i < table.footprint_count; i++) {
        const struct footprint *footprint = &table.footprints[i];
        if (strcmp(footprint->provider, choice->component->provider) == 0 &&
            strcmp(footprint->algorithm, choice->offer->algorithm) == 0)
            return footprint;
    }
    return 0;
}
