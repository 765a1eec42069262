#pragma once
#include <freertos/FreeRTOS.h>
typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);
BaseType_t xTaskCreatePinnedToCore(TaskFunction_t code, const char *name, uint32_t stack, void *parameters,
                                   UBaseType_t priority, TaskHandle_t *task, BaseType_t core);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
