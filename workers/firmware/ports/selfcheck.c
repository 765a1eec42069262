// A program that shows that a port keeps its promises; test.py beside it asks. Each line is one request:
//   nops N     reads the counter around 200 NOPs, N times, and answers with the least and the most that it counted
//   spin N     counts a loop of N turns, each of the same length
//   flood N    answers with a line of N bytes that follow a rule, and the newline
//   break      executes what is no instruction
//   leave      calls what lies beyond the program
//   recurse    calls itself until the stack is used up
//   TEXT       answers with the text's length, the sum of its bytes times their places, and the text itself
#include "port.h"

#include <stddef.h>

static void put_text(const char *text) {
    while (*text)
        port_put((uint8_t)*text++);
}

static void put_number(uint32_t number) {
    char digits[11], *at = digits + sizeof digits - 1;
    *at = 0;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    put_text(at);
}

static uint32_t counted(uint64_t ticks) {
    struct port_unit unit = port_unit();
    return (uint32_t)((ticks * unit.numerator + unit.denominator / 2) / unit.denominator);
}

// What the calls of port_ticks cost is in both, and cancels out.
static uint32_t count_nothing(void) {
    uint64_t before = port_ticks();
    __asm__ volatile("");
    return counted(port_ticks() - before);
}

static uint32_t count_nops(void) {
    uint64_t before = port_ticks();
    __asm__ volatile(".rept 200\n nop\n .endr");
    return counted(port_ticks() - before);
}

static void nops(uint32_t times) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < times; i++) {
        // Another stretch before each, so that the counter's lower parts wrap in all places.
        for (volatile uint32_t wait = i * 37 % 1009; wait > 0; wait--) {
        }
        uint32_t nothing = count_nothing(), count = count_nops() - nothing;
        if (count < least)
            least = count;
        if (count > most)
            most = count;
    }
    put_number(least);
    port_put(' ');
    put_number(most);
    const char *counts = port_unit().counts;
    port_put(' ');
    put_text(counts ? counts : "ns");
    port_put('\n');
}

static void spin(uint32_t turns) {
    uint64_t before = port_ticks();
    for (uint32_t i = turns; i > 0; i--)
        __asm__ volatile("");
    put_number(counted(port_ticks() - before));
    port_put('\n');
}

static void flood(uint32_t length) {
    for (uint32_t i = 0; i < length; i++)
        port_put((uint8_t)(' ' + ((i ^ i >> 8 ^ i >> 16) & 63)));
    port_put('\n');
}

#if defined(__riscv)
#define NO_INSTRUCTION "unimp"
#elif defined(__xtensa__)
#define NO_INSTRUCTION "ill"
#elif defined(__arm__)
#define NO_INSTRUCTION "udf #0"
#elif defined(__AVR__)
#define NO_INSTRUCTION ".word 0x0001"
#endif
static void (*volatile beyond)(void) = (void (*)(void))0xf000;

// Each turn keeps a word of its own on the stack.
static uint32_t recurse(uint32_t depth) {
    volatile uint32_t kept = depth;
    return depth == UINT32_MAX ? 0 : recurse(depth + 1) + kept;
}

static uint32_t number_after(const uint8_t *text, size_t length) {
    uint32_t number = 0;
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        number = number * 10 + (uint32_t)(text[i] - '0');
    return number;
}

static int is(const uint8_t *line, size_t length, const char *word) {
    for (size_t i = 0; word[i]; i++)
        if (i == length || line[i] != (uint8_t)word[i])
            return 0;
    return 1;
}

static void echo(const uint8_t *line, size_t kept, uint32_t length, uint32_t sum) {
    put_number(length);
    port_put(' ');
    put_number(sum);
    port_put(' ');
    for (size_t i = 0; i < kept; i++)
        port_put(line[i]);
    port_put('\n');
}

void worker_run(void) {
    // Only the beginning is kept: the smallest of the boards has 8 KiB of RAM.
    static uint8_t line[1024];
    for (;;) {
        size_t kept = 0;
        uint32_t length = 0, sum = 0;
        int byte;
        while ((byte = port_get()) >= 0 && byte != '\n') {
            if (kept < sizeof line)
                line[kept++] = (uint8_t)byte;
            sum += (uint32_t)byte * ++length;
        }
        if (byte < 0)
            return;
        if (is(line, kept, "nops "))
            nops(number_after(line + 5, kept - 5));
        else if (is(line, kept, "spin "))
            spin(number_after(line + 5, kept - 5));
        else if (is(line, kept, "flood "))
            flood(number_after(line + 6, kept - 6));
        else if (is(line, kept, "break"))
            __asm__ volatile(NO_INSTRUCTION);
        else if (is(line, kept, "leave"))
            beyond();
        else if (is(line, kept, "recurse"))
            put_number(recurse(0));
        else
            echo(line, kept, length, sum);
    }
}
