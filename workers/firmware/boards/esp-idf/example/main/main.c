// The worker with the pins of menuconfig, "Ciphermeter".
#include <Ciphermeter.h>

#include <sdkconfig.h>

#ifndef CONFIG_CIPHERMETER_LED_INVERSE
#define CONFIG_CIPHERMETER_LED_INVERSE 0
#endif

static const struct ciphermeter_config config = {
    .led = CONFIG_CIPHERMETER_LED,
    .led_inverse = CONFIG_CIPHERMETER_LED_INVERSE,
    .light = CONFIG_CIPHERMETER_LIGHT,
    .sda = CONFIG_CIPHERMETER_SDA,
    .scl = CONFIG_CIPHERMETER_SCL,
    .network = CONFIG_CIPHERMETER_NETWORK,
    .password = CONFIG_CIPHERMETER_PASSWORD,
};

void app_main(void) {
    ciphermeter_run(&config);
}
