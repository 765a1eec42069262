// The worker as a task of FreeRTOS, and what is the same under Arduino and ESP-IDF: clocks and memory.
//
// The task has the last core, a priority above the page's server, and a stack whose depth FreeRTOS keeps. Interrupts
// stay on: the system's tick, a thousand a second or fewer, is in what is timed.
#include "board.h"
#include "framework.h"
#include "port.h"
#include "worker.h"

#include <esp_cpu.h>
#include <esp_heap_caps.h>
#include <esp_rom_sys.h>
#include <esp_system.h>
#include <esp_timer.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#define STACK    16384 // bytes
#define PRIORITY 5

static TaskHandle_t worker;

// Microseconds since the start.
uint64_t port_ticks(void) {
    return (uint64_t)esp_timer_get_time();
}

struct port_unit port_unit(void) {
    return (struct port_unit){.counts = 0, .numerator = 1000, .denominator = 1};
}

uint32_t port_cycles(void) {
    return (uint32_t)esp_cpu_get_cycle_count();
}

void port_exit(int code) {
    (void)code;
    esp_restart();
}

struct board_heap board_heap(void) {
    return (struct board_heap){
        .total = (uint32_t)heap_caps_get_total_size(MALLOC_CAP_DEFAULT),
        .free = (uint32_t)esp_get_free_heap_size(),
        .least_free = (uint32_t)esp_get_minimum_free_heap_size(),
    };
}

// In this system, the high-water mark is in bytes: those of the stack that were never used.
uint32_t board_stack(void) {
    return worker ? STACK - (uint32_t)uxTaskGetStackHighWaterMark(worker) : 0;
}

uint32_t board_clock(void) {
    return esp_rom_get_cpu_ticks_per_us() * 1000000u;
}

static void run(void *config) {
    const struct ciphermeter_config *told = config;
    framework_open(told);
    if (told->network && *told->network)
        board_join(told->network, told->password ? told->password : "");
    worker_run();
    port_exit(0);
}

void ciphermeter_run(const struct ciphermeter_config *config) {
    if (!worker)
        xTaskCreatePinnedToCore(run, "ciphermeter", STACK, (void *)config, PRIORITY, &worker, portNUM_PROCESSORS - 1);
}
