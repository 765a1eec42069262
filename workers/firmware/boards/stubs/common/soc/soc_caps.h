#pragma once
#ifdef STUB_ESP32C3
#define SOC_AES_SUPPORT_DMA (1)
#endif
