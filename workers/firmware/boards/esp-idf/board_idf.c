// The board under ESP-IDF 5.2 and later: serial line, LED, light sensor, I2C, and the page over Wi-Fi.
#ifndef ARDUINO

#include "board.h"
#include "framework.h"
#include "port.h"

#include <driver/gpio.h>
#include <driver/i2c_master.h>
#include <driver/uart.h>
#include <esp_adc/adc_oneshot.h>
#include <sdkconfig.h>
#ifdef CONFIG_CIPHERMETER_LINE_USB
#include <driver/usb_serial_jtag.h>
#endif
#include <freertos/FreeRTOS.h>

#define LINE      UART_NUM_0
#define BUFFER    4096
#define BUS_MS    20
#define MAX_CHIPS 2

static const struct ciphermeter_config *pins;
static adc_oneshot_unit_handle_t adc;
static adc_channel_t light;
static i2c_master_bus_handle_t bus;

static void open_line(void) {
#ifdef CONFIG_CIPHERMETER_LINE_USB
    usb_serial_jtag_driver_config_t config = {.tx_buffer_size = BUFFER, .rx_buffer_size = BUFFER};
    usb_serial_jtag_driver_install(&config);
#else
    uart_config_t config = {
        .baud_rate = 115200,
        .data_bits = UART_DATA_8_BITS,
        .parity = UART_PARITY_DISABLE,
        .stop_bits = UART_STOP_BITS_1,
        .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
    };
    uart_driver_install(LINE, BUFFER, 0, 0, NULL, 0);
    uart_param_config(LINE, &config);
#endif
}

static void open_light(void) {
    adc_unit_t unit;
    if (pins->light < 0 || adc_oneshot_io_to_channel(pins->light, &unit, &light) != ESP_OK || unit != ADC_UNIT_1)
        return;
    adc_oneshot_unit_init_cfg_t config = {.unit_id = unit};
    adc_oneshot_chan_cfg_t channel = {.atten = ADC_ATTEN_DB_12, .bitwidth = ADC_BITWIDTH_12};
    if (adc_oneshot_new_unit(&config, &adc) != ESP_OK)
        adc = NULL;
    else
        adc_oneshot_config_channel(adc, light, &channel);
}

static void open_bus(void) {
    if (pins->sda < 0 || pins->scl < 0)
        return;
    i2c_master_bus_config_t config = {
        .i2c_port = I2C_NUM_0,
        .sda_io_num = (gpio_num_t)pins->sda,
        .scl_io_num = (gpio_num_t)pins->scl,
        .clk_source = I2C_CLK_SRC_DEFAULT,
        .glitch_ignore_cnt = 7,
        .flags.enable_internal_pullup = true,
    };
    if (i2c_new_master_bus(&config, &bus) != ESP_OK)
        bus = NULL;
}

void framework_open(const struct ciphermeter_config *config) {
    pins = config;
    open_line();
    if (pins->led >= 0) {
        gpio_reset_pin((gpio_num_t)pins->led);
        gpio_set_direction((gpio_num_t)pins->led, GPIO_MODE_OUTPUT);
        board_led(false);
    }
    open_light();
    open_bus();
}

void port_put(uint8_t byte) {
#ifdef CONFIG_CIPHERMETER_LINE_USB
    usb_serial_jtag_write_bytes(&byte, 1, portMAX_DELAY);
#else
    uart_write_bytes(LINE, &byte, 1);
#endif
}

int port_get(void) {
    uint8_t byte;
#ifdef CONFIG_CIPHERMETER_LINE_USB
    while (usb_serial_jtag_read_bytes(&byte, 1, portMAX_DELAY) != 1) {
    }
#else
    while (uart_read_bytes(LINE, &byte, 1, portMAX_DELAY) != 1) {
    }
#endif
    return byte;
}

void board_led(bool lit) {
    if (pins->led >= 0)
        gpio_set_level((gpio_num_t)pins->led, lit != pins->led_inverse);
}

int board_light(void) {
    int reading;
    return adc && adc_oneshot_read(adc, light, &reading) == ESP_OK ? reading : -1;
}

// The chip's handle, which is made when it is first asked for.
static i2c_master_dev_handle_t chip_at(uint8_t address) {
    static struct {
        uint8_t address;
        i2c_master_dev_handle_t handle;
    } chips[MAX_CHIPS];
    for (size_t i = 0; i < MAX_CHIPS; i++) {
        if (chips[i].handle && chips[i].address == address)
            return chips[i].handle;
        if (chips[i].handle)
            continue;
        i2c_device_config_t config = {
            .dev_addr_length = I2C_ADDR_BIT_LEN_7,
            .device_address = address,
            .scl_speed_hz = 400000,
        };
        chips[i].address = address;
        return i2c_master_bus_add_device(bus, &config, &chips[i].handle) == ESP_OK ? chips[i].handle : NULL;
    }
    return NULL;
}

bool board_i2c(uint8_t address, const uint8_t *bytes, size_t count, uint8_t *answer, size_t wanted) {
    if (!bus || i2c_master_probe(bus, address, BUS_MS) != ESP_OK)
        return false;
    i2c_master_dev_handle_t chip = chip_at(address);
    if (!chip)
        return false;
    if (wanted == 0)
        return i2c_master_transmit(chip, bytes, count, BUS_MS) == ESP_OK;
    return i2c_master_transmit_receive(chip, bytes, count, answer, wanted, BUS_MS) == ESP_OK;
}

#endif
