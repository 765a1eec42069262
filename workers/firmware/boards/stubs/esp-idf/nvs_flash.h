#pragma once
#include <esp_err.h>
esp_err_t nvs_flash_init(void);
