// The five functions of port.h on QEMU's machine sim with the ESP8266's core, an Xtensa LX106. It promises exact counts
// if QEMU runs with `-icount shift=10`: CCOUNT then has 40.96 ticks an instruction, and its interrupt, which makes it
// longer than 32 bits, takes itself off (start.S).
#include "port.h"

#include <stddef.h>

#define SYS_EXIT  1
#define SYS_READ  3
#define SYS_WRITE 4
#define EINTR     4
#define EAGAIN    11

#define TIMER_INTERRUPT (1 << 6)
#define HALF            0x80000000u
#define INTERRUPT_TICKS 1024

// How many times the counter passed 0 or 0x80000000; the rest is the interrupt's own.
extern uint32_t counter_state[3];

#define EXIT_BROKEN 71 // the harness is gone

static struct buffer {
    size_t begin, end;
    uint8_t bytes[256];
} input, output;

// A call of the emulator, which hands reads and writes to its standard input and output.
static int simcall(int operation, int first, const void *second, int third, int *error) {
    register int a2 __asm__("a2") = operation;
    register int a3 __asm__("a3") = first;
    register const void *a4 __asm__("a4") = second;
    register int a5 __asm__("a5") = third;
    __asm__ volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
    *error = a3;
    return a2;
}

static void end(int code) {
    int error;
    for (;;)
        simcall(SYS_EXIT, code, NULL, 0, &error);
}

void port_start(void) {
    __asm__ volatile("wsr %0, ccount\n wsr %1, ccompare0\n wsr %2, intenable\n rsync"
                     :
                     : "r"(0), "r"(HALF), "r"(TIMER_INTERRUPT));
}

// The carries of an addition and a subtraction, without the branches that a comparison would become.
static inline uint32_t carry(uint32_t a, uint32_t b, uint32_t sum) {
    return ((a & b) | ((a | b) & ~sum)) >> 31;
}

static inline uint32_t borrow(uint32_t a, uint32_t b, uint32_t difference) {
    return ((~a & b) | ((~a | b) & difference)) >> 31;
}

// Takes as many instructions whatever it reads. The interrupt comes within some ticks of a half, so the halves say
// where the counter is to a quarter of its range, and the counter says the rest.
uint64_t port_ticks(void) {
    uint32_t state, halves, count;
    __asm__ volatile("rsil %0, 1\n l32i %1, %3, 0\n rsr %2, ccount\n wsr %0, ps\n rsync"
                     : "=&r"(state), "=&r"(halves), "=&r"(count)
                     : "r"(counter_state)
                     : "memory");
    uint32_t middle = halves << 31 | HALF / 2, beside = count - middle;
    uint32_t high = (halves >> 1) + (uint32_t)((int32_t)beside >> 31) + carry(middle, beside, count);
    uint32_t own = halves * INTERRUPT_TICKS, low = count - own;
    high -= halves / (UINT32_MAX / INTERRUPT_TICKS + 1) + borrow(count, own, low);
    return (uint64_t)high << 32 | low;
}

struct port_unit port_unit(void) {
    return (struct port_unit){.counts = "instructions", .numerator = 25, .denominator = 1024};
}

// What reads and writes less than a byte has failed, which ends the emulator, unless it only has to be made again.
static size_t transfer(int operation, int file, uint8_t *bytes, size_t length) {
    for (;;) {
        int error, done = simcall(operation, file, bytes, (int)length, &error);
        if (done >= 0)
            return (size_t)done;
        if (error != EINTR && error != EAGAIN)
            end(EXIT_BROKEN);
    }
}

static void flush(void) {
    while (output.begin < output.end)
        output.begin += transfer(SYS_WRITE, 1, output.bytes + output.begin, output.end - output.begin);
    output.begin = output.end = 0;
}

void port_put(uint8_t byte) {
    output.bytes[output.end++] = byte;
    if (byte == '\n' || output.end == sizeof output.bytes)
        flush();
}

int port_get(void) {
    if (input.begin == input.end) {
        flush();
        input.begin = input.end = 0;
        input.end = transfer(SYS_READ, 0, input.bytes, sizeof input.bytes);
        if (input.end == 0)
            return -1;
    }
    return input.bytes[input.begin++];
}

void port_exit(int code) {
    flush();
    end(code);
}
