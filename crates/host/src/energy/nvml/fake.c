/* A stand-in for NVIDIA's libnvidia-ml, for the tests of nvml.rs: the functions that they call, as nvml.h declares them. */

#include <stdio.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3 };

typedef struct card *device;

static unsigned long long spent;

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { return code == SUCCESS ? "Success" : "an error"; }

int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = 2;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, device *handle) {
    if (index > 1) return INVALID_ARGUMENT;
    *handle = (device)(unsigned long)(index + 1);
    return SUCCESS;
}

int nvmlDeviceGetName(device handle, char *name, unsigned length) {
    snprintf(name, length, handle == (device)1UL ? "Fake H200" : "Fake K20");
    return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(device handle, unsigned long long *millijoules) {
    if (handle != (device)1UL) return NOT_SUPPORTED;
    *millijoules = spent;
    spent += 250;
    return SUCCESS;
}
