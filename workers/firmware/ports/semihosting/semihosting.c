#include "semihosting.h"

#include "port.h"

#include <stddef.h>

#define SYS_OPEN   0x01
#define SYS_WRITE  0x05
#define SYS_READ   0x06
#define MODE_READ  0
#define MODE_WRITE 4

#define EXIT_BROKEN 71 // the harness is gone

static struct buffer {
    long file;
    size_t begin, end;
    uint8_t bytes[256];
} input, output;

// The name `:tt` means the emulator's standard input or output, as the mode says.
static long open_terminal(long mode) {
    struct {
        const char *name;
        long mode, length;
    } arguments = {":tt", mode, 3};
    return semihosting(SYS_OPEN, &arguments);
}

void semihosting_open(void) {
    input.file = open_terminal(MODE_READ);
    output.file = open_terminal(MODE_WRITE);
}

// How many bytes were left undone; more than there were: an error.
static size_t transfer(long operation, long file, uint8_t *bytes, size_t length) {
    struct {
        long file;
        uint8_t *bytes;
        size_t length;
    } arguments = {file, bytes, length};
    return (size_t)semihosting(operation, &arguments);
}

static void flush(void) {
    while (output.begin < output.end) {
        size_t length = output.end - output.begin;
        size_t left = transfer(SYS_WRITE, output.file, output.bytes + output.begin, length);
        if (left >= length)
            port_exit(EXIT_BROKEN);
        output.begin += length - left;
    }
    output.begin = output.end = 0;
}

void semihosting_put(uint8_t byte) {
    output.bytes[output.end++] = byte;
    if (byte == '\n' || output.end == sizeof output.bytes)
        flush();
}

int semihosting_get(void) {
    if (input.begin == input.end) {
        flush();
        input.begin = input.end = 0;
        size_t left = transfer(SYS_READ, input.file, input.bytes, sizeof input.bytes);
        if (left >= sizeof input.bytes)
            return -1;
        input.end = sizeof input.bytes - left;
    }
    return input.bytes[input.begin++];
}
