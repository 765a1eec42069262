// Runs a sketch for the Arduino Mega 2560 in simavr, cycle by cycle: `run SKETCH.elf`. The sketch's Serial is standard
// input and output.
//
// No byte is lost: the Arduino core's buffer has 64 bytes, so the next byte is sent only when the sketch sleeps, having
// used up all before it. Nothing depends on when bytes arrive here: the sketch's clock stands still while it waits, so
// the same input gives the same cycles. At the end of the input this ends, once the sketch sleeps, with exit code 0. A
// sketch that leaves its program, whose stack runs into its data or that executes what is no instruction ends this with
// a line on standard error and exit code 1.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_core_config.h>
#include <sim_elf.h>

#define CONTROLLER "atmega2560"
#define HERTZ      16000000

// Registers of the controller, as addresses in its memory.
#define STACK_LOW          0x5d
#define STACK_HIGH         0x5e
#define UART_CONTROL       0xc1
#define UART_STILL_SENDING 0x20
#define UART_RECEIVED      25 // the interrupt's number

// The symbol's address in the memory of data has this added.
#define DATA_OFFSET 0x800000

static void fail(const char *what) {
    fflush(stdout);
    fprintf(stderr, "run: %s\n", what);
    exit(1);
}

// simavr goes on after an error, such as an invalid instruction; a worker must not.
static void take_log(avr_t *avr, const int level, const char *format, va_list arguments) {
    char text[200];
    if (level > LOG_ERROR)
        return;
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "simavr: %s\n", text);
    fail(avr ? "the sketch is lost: the simulator found the error above" : "the simulator found the error above");
}

static void put(struct avr_irq_t *irq, uint32_t byte, void *nothing) {
    (void)irq;
    (void)nothing;
    if (putchar((int)byte) == EOF)
        fail("cannot write to standard output");
}

// Whether a byte was sent to the sketch and its interrupt has not taken it yet.
static bool on_its_way;

static void arrive(struct avr_irq_t *irq, uint32_t running, void *nothing) {
    (void)irq;
    (void)nothing;
    if (running)
        on_its_way = false;
}

// The next byte of standard input; -1 at its end.
static int get(void) {
    static unsigned char bytes[4096];
    static ssize_t next, end;
    static int last = '\n';
    if (next == end) {
        if (fflush(stdout) == EOF)
            fail("cannot write to standard output");
        next = 0;
        do
            end = read(STDIN_FILENO, bytes, sizeof bytes);
        while (end < 0 && errno == EINTR);
        if (end < 0)
            fail("cannot read standard input");
        if (end == 0 && last == '\n')
            return -1;
        // The sketch does not see the end, which ends the last line, too.
        if (end == 0)
            return last = '\n';
    }
    return last = bytes[next++];
}

static void do_not_wait(avr_t *avr, avr_cycle_count_t cycles) {
    (void)avr;
    (void)cycles;
}

// Where the sketch's own data end, so that the stack must stay above.
static unsigned end_of_data(const elf_firmware_t *sketch) {
    for (uint32_t i = 0; i < sketch->symbolcount; i++)
        if (strcmp(sketch->symbol[i]->symbol, "__bss_end") == 0)
            return sketch->symbol[i]->addr - DATA_OFFSET;
    fail("the sketch has no symbol __bss_end");
    return 0;
}

static avr_t *start(elf_firmware_t *sketch) {
    avr_t *avr = avr_make_mcu_by_name(CONTROLLER);
    if (!avr)
        fail("this simavr has no " CONTROLLER);
    avr_init(avr);
    sketch->frequency = HERTZ;
    avr_load_firmware(avr, sketch);
    avr->sleep = do_not_wait;
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), put, NULL);
    avr_irq_register_notify(avr_get_interrupt_irq(avr, UART_RECEIVED) + AVR_INT_IRQ_RUNNING, arrive, NULL);
    return avr;
}

static void check(const avr_t *avr, uint32_t end_of_program, unsigned end_of_data) {
    char what[120];
    unsigned stack = avr->data[STACK_LOW] | (unsigned)avr->data[STACK_HIGH] << 8;
    const char *why = avr->state == cpu_Crashed   ? "it crashed"
                      : avr->state == cpu_Done    ? "it sleeps for ever"
                      : avr->pc >= end_of_program ? "it left its program"
                      : stack <= end_of_data      ? "its stack met its data"
                                                  : NULL;
    if (!why)
        return;
    snprintf(what, sizeof what, "the sketch is lost: %s, at 0x%lx, stack 0x%x, after %llu cycles", why,
             (unsigned long)avr->pc, stack, (unsigned long long)avr->cycle);
    fail(what);
}

int main(int count, char **arguments) {
    elf_firmware_t sketch = {.frequency = 0};
    if (count != 2)
        fail("usage: run SKETCH.elf | --version");
    if (strcmp(arguments[1], "--version") == 0)
        return puts("simavr " CONFIG_SIMAVR_VERSION) == EOF;
    avr_global_logger_set(take_log);
    if (elf_read_firmware(arguments[1], &sketch) != 0)
        fail("cannot read the sketch");
    signal(SIGPIPE, SIG_IGN);
    unsigned data = end_of_data(&sketch);
    avr_t *avr = start(&sketch);
    avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    for (;;) {
        int state = avr_run(avr);
        if (state == cpu_Sleeping && !on_its_way && !(avr->data[UART_CONTROL] & UART_STILL_SENDING)) {
            int byte = get();
            if (byte < 0)
                return 0;
            on_its_way = true;
            avr_raise_irq(input, (uint32_t)byte);
        }
        check(avr, sketch.flashsize, data);
    }
}
