// What boards/arduino and boards/esp-idf each give beside board.h.
#ifndef FRAMEWORK_H
#define FRAMEWORK_H

#include "../Ciphermeter.h"

// Opens the serial line and what is connected; called once, by the worker's task.
void framework_open(const struct ciphermeter_config *config);

#endif
