#pragma once
#include <stdint.h>
typedef uint32_t TickType_t;
typedef int BaseType_t;
typedef unsigned UBaseType_t;
#define pdFALSE 0
#define pdTRUE  1
#define portMAX_DELAY 0xffffffffu
#define pdMS_TO_TICKS(ms) ((TickType_t)(ms))
#define tskIDLE_PRIORITY 0u
#ifdef STUB_ESP32C3
#define portNUM_PROCESSORS 1
#else
#define portNUM_PROCESSORS 2
#endif
#define BIT0 0x00000001u
