// The provider `mbedtls-hw`: the Mbed TLS that is part of ESP-IDF, and so of Arduino's core, whose AES is the chip's
// accelerator. GHASH is software on these chips. `path` says how blocks reach the accelerator: by the CPU, or by DMA,
// which for messages below 128 bytes the newer versions leave to the CPU.
//
// What to know when reading its figures: mbedtls_gcm_setkey only keeps the key there; the first message pays for the
// hash key and its table.
#include <sdkconfig.h>
#include <soc/soc_caps.h>

#if defined(CONFIG_MBEDTLS_HARDWARE_AES)
#if defined(SOC_AES_SUPPORT_DMA) && SOC_AES_SUPPORT_DMA
#if defined(CONFIG_MBEDTLS_AES_HW_SMALL_DATA_LEN_OPTIM)
#define GCM_PATH CONFIG_IDF_TARGET "-aes-dma-128"
#else
#define GCM_PATH CONFIG_IDF_TARGET "-aes-dma"
#endif
#else
#define GCM_PATH CONFIG_IDF_TARGET "-aes-block"
#endif
#else
#define ABSENT "this ESP-IDF is configured without CONFIG_MBEDTLS_HARDWARE_AES"
#endif

#define PROVIDER "mbedtls-hw"
#define PREFIX   mbedtls_hw
#define GCM_ONLY
#include "mbedtls_component.h"
