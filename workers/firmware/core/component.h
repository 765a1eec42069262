// What the worker needs of a library: its name, its algorithms, and three functions for each of them.
//
// A component is one file that fills in these structures. It keeps the library's objects in static memory of its own:
// the worker sets one key up at a time.
#ifndef COMPONENT_H
#define COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAG       16 // bytes, of every algorithm here
#define MAX_KEY   32
#define MAX_NONCE 24

enum outcome {
    DONE,
    REJECTED, // the tag is wrong
    FAILED    // the library reports an error
};

// One message. `input` and `output` are the same pointer in the form in-place, and apart in the form into. `tag` is
// written by seal and read by open. `output` of an open that rejects may hold anything.
struct call {
    const uint8_t *nonce;
    const uint8_t *aad;
    size_t aad_length;
    const uint8_t *input;
    uint8_t *output;
    size_t length;
    uint8_t *tag;
};

enum form { INTO = 1, IN_PLACE = 2 };

// One algorithm of a library. Name the variable PROVIDER_ALGORITHM, with `_` for `-` and `.`: the build counts the code
// that this variable reaches.
struct offer {
    const char *algorithm;                      // of PROTOCOL.md's table
    const char *path;                           // the code path, `soft` or what the library says
    const char *version;                        // NULL: the component's
    uint8_t forms;                              // those that the library has, INTO | IN_PLACE
    bool inside;                                // every call sets the key up, because the library cannot do it apart
    uint16_t state;                             // bytes of the library's objects; 0: not known
    enum outcome (*set_up)(const uint8_t *key); // of the algorithm's length; it stays valid until `release`
    enum outcome (*seal)(const struct call *call);
    enum outcome (*open)(const struct call *call);
    void (*release)(void);
};

struct component {
    const char *provider;
    const char *(*version)(void); // the version that runs
    const char *(*start)(void);   // called once, before anything else: NULL, or why it cannot run here; may be NULL
    const struct offer *const *offers;
    uint8_t count;
};

// What the linker's map says about an algorithm; see footprint.py.
struct footprint {
    const char *provider, *algorithm;
    uint32_t code, ram; // bytes: code and constants; the library's own variables
};

// What this image contains. The build makes it; a program of your own defines it beside its component.
struct table {
    const struct component *const *components;
    uint8_t count;
    const struct footprint *footprints;
    uint8_t footprint_count;
};
extern const struct table table;

#endif
