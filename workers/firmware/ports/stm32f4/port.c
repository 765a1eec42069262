// An STM32F4 at the clock that it has after a reset, its internal 16 MHz: the harness at USART2, which is the USB port
// of a NUCLEO-64 board, and time from the CPU's cycle counter.
//
// Places and bits are those of ST's reference manuals RM0383 (STM32F411) and RM0090 (STM32F405, F407), which agree on
// all of them, and, from DEMCR on, of ARM's ARMv7-M Architecture Reference Manual.
#include "port.h"

#include "board.h"
#include "target.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

// RCC at 0x40023800, GPIOA at 0x40020000, USART2 at 0x40004400, TIM2 at 0x40000000: "Memory map".
#define RCC_AHB1ENR REGISTER(0x40023830)
#define RCC_APB1ENR REGISTER(0x40023840)
#define GPIOA_MODER REGISTER(0x40020000)
#define GPIOA_AFRL  REGISTER(0x40020020)
#define USART2_SR   REGISTER(0x40004400)
#define USART2_DR   REGISTER(0x40004404)
#define USART2_BRR  REGISTER(0x40004408)
#define USART2_CR1  REGISTER(0x4000440c)
#define TIM2_CR1    REGISTER(0x40000000)
#define TIM2_EGR    REGISTER(0x40000014)
#define TIM2_CNT    REGISTER(0x40000024)
#define TIM2_PSC    REGISTER(0x40000028)
#define TIM2_ARR    REGISTER(0x4000002c)
#define NVIC_ISER1  REGISTER(0xe000e104)
#define NVIC_ICER1  REGISTER(0xe000e184)
#define AIRCR       REGISTER(0xe000ed0c)
#define DEMCR       REGISTER(0xe000edfc)
#define DWT_CTRL    REGISTER(0xe0001000)
#define DWT_CYCCNT  REGISTER(0xe0001004)

#define GPIOA_ENABLE     (1u << 0) // of RCC_AHB1ENR
#define TIM2_ENABLE      (1u << 0) // of RCC_APB1ENR
#define TIM5_ENABLE      (1u << 3)
#define USART2_ENABLE    (1u << 17)
#define SR_RXNE          (1u << 5) // a byte has come
#define SR_TXE           (1u << 7) // there is room for one
#define CR1_RECEIVES     0x202cu   // UE, RXNEIE, TE, RE: 8 bits, no parity, an interrupt for each byte that comes
#define BAUD_115200      139u      // 16 MHz ÷ 115,200 is 138.9
#define COUNTS           1u        // CEN of a timer's CR1
#define UPDATE           1u        // UG of its EGR: takes PSC, and starts from 0
#define SLOWER           65536u
#define TRCENA           (1u << 24) // of DEMCR
#define CYCCNTENA        1u         // of DWT_CTRL
#define USART2_INTERRUPT (1u << (USART2_POSITION - 32))
#define RESET_REQUEST    0x05fa0004u // VECTKEY and SYSRESETREQ of AIRCR

#ifdef CYCLES_FROM_TIM5 // QEMU has no cycle counter, and lets this timer count instructions
#define CYCLES   REGISTER(0x40000c24)
#define TIM5_CR1 REGISTER(0x40000c00)
#define TIM5_EGR REGISTER(0x40000c14)
#define TIM5_ARR REGISTER(0x40000c2c)
#else
#define CYCLES DWT_CYCCNT
#endif

static void begin_line(void) {
    GPIOA_MODER = (GPIOA_MODER & ~(0xfu << 4)) | (0xau << 4); // PA2 and PA3: an alternate function,
    GPIOA_AFRL = (GPIOA_AFRL & ~(0xffu << 8)) | (0x77u << 8); // number 7, USART2
    USART2_BRR = BAUD_115200;
    USART2_CR1 = CR1_RECEIVES;
    NVIC_ISER1 = USART2_INTERRUPT;
}

// Both from 0, one right after the other.
static void begin_counters(void) {
    TIM2_PSC = SLOWER - 1;
    TIM2_ARR = UINT32_MAX;
    TIM2_CR1 = COUNTS;
#ifdef CYCLES_FROM_TIM5
    TIM5_ARR = UINT32_MAX;
    TIM5_CR1 = COUNTS;
    TIM2_EGR = UPDATE;
    TIM5_EGR = UPDATE;
#else
    DEMCR |= TRCENA;
    DWT_CTRL |= CYCCNTENA;
    TIM2_EGR = UPDATE;
    DWT_CYCCNT = 0;
#endif
}

void board_begin(void) {
    RCC_AHB1ENR |= GPIOA_ENABLE;
    RCC_APB1ENR |= TIM2_ENABLE | TIM5_ENABLE | USART2_ENABLE;
    (void)RCC_APB1ENR; // the errata sheets want a pause before a peripheral is used
    begin_line();
    begin_counters();
}

// The cycle counter has 32 bits and wraps after 268 s. TIM2, which is slower, says how often it has.
uint64_t port_ticks(void) {
    uint64_t slow = (uint64_t)TIM2_CNT * SLOWER;
    int32_t ahead = (int32_t)(CYCLES - (uint32_t)slow);
    return slow + (uint64_t)(int64_t)ahead;
}

struct port_unit port_unit(void) {
    return (struct port_unit){0, 125, 2}; // 62.5 ns
}

void port_put(uint8_t byte) {
    while (!(USART2_SR & SR_TXE)) {
    }
    USART2_DR = byte;
}

// What the harness has sent and the worker has not read yet.
static uint8_t line[512];
static volatile uint32_t received, taken;

// Where there is no room, the byte stays in the USART: QEMU, which sees that, sends no other. Reading the status, then
// the byte, clears an overrun, too.
void usart2_received(void) {
    if (received - taken == sizeof line)
        NVIC_ICER1 = USART2_INTERRUPT;
    else if (USART2_SR & SR_RXNE)
        line[received++ % sizeof line] = (uint8_t)USART2_DR;
}

// Awake: in sleep, the cycle counter would stop, and TIM2 go on.
int port_get(void) {
    while (received == taken) {
    }
    uint8_t byte = line[taken % sizeof line];
    taken++;
    NVIC_ISER1 = USART2_INTERRUPT;
    return byte;
}

void port_exit(int code) {
    (void)code;
    AIRCR = RESET_REQUEST;
    for (;;) {
    }
}
