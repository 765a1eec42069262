#pragma once
// ESP-IDF's, which only mbedtls_hw.c may find.
#ifdef CIPHERMETER_LIBRARY
#error "a library found the system's Mbed TLS in place of its own"
#endif
