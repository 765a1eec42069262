// The board under Arduino's core 3.x: serial line, LED, light sensor, I2C, and the page over Wi-Fi.
#ifdef ARDUINO

#include <Arduino.h>
#include <WebServer.h>
#include <WiFi.h>
#include <Wire.h>

extern "C" {
#include "board.h"
#include "framework.h"
#include "port.h"
}

static const ciphermeter_config *pins;
static WebServer *server; // null: nothing is listening
static char address[16];

#define JOIN_MS 15000

extern "C" void framework_open(const ciphermeter_config *config) {
    pins = config;
    // The idle task, which the watchdog wants to see, waits while a long sample runs.
    disableCore0WDT();
#if portNUM_PROCESSORS > 1
    disableCore1WDT();
#endif
    Serial.setRxBufferSize(4096);
    Serial.begin(115200);
    if (pins->led >= 0) {
        pinMode(pins->led, OUTPUT);
        board_led(false);
    }
    if (pins->light >= 0)
        analogReadResolution(12);
    if (pins->sda >= 0 && pins->scl >= 0)
        Wire.begin(pins->sda, pins->scl, 400000u);
}

extern "C" void port_put(uint8_t byte) {
    Serial.write(byte);
}

// The page is served only while the worker waits for a request.
extern "C" int port_get(void) {
    for (;;) {
        int byte = Serial.read();
        if (byte >= 0)
            return byte;
        if (server)
            server->handleClient();
        delay(1);
    }
}

extern "C" void board_led(bool lit) {
    if (pins->led >= 0)
        digitalWrite(pins->led, lit != pins->led_inverse ? HIGH : LOW);
}

extern "C" int board_light(void) {
    return pins->light >= 0 ? analogRead(pins->light) : -1;
}

extern "C" bool board_i2c(uint8_t chip, const uint8_t *bytes, size_t count, uint8_t *answer, size_t wanted) {
    if (pins->sda < 0 || pins->scl < 0)
        return false;
    Wire.beginTransmission(chip);
    if (Wire.write(bytes, count) != count || Wire.endTransmission(wanted == 0) != 0)
        return false;
    if (wanted == 0)
        return true;
    if (Wire.requestFrom(chip, wanted) != wanted)
        return false;
    for (size_t i = 0; i < wanted; i++)
        answer[i] = static_cast<uint8_t>(Wire.read());
    return true;
}

static void send_piece(const char *text, size_t length, void *) {
    server->sendContent(text, length);
}

static void send_page() {
    server->sendHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    server->setContentLength(CONTENT_LENGTH_UNKNOWN);
    server->send(200, "text/html; charset=utf-8", "");
    extras_page(send_piece, nullptr);
    server->sendContent("", 0);
}

extern "C" const char *board_join(const char *name, const char *password) {
    if (server)
        return address;
    WiFi.mode(WIFI_STA);
    WiFi.begin(name, *password ? password : nullptr);
    for (unsigned long begin = millis(); WiFi.status() != WL_CONNECTED; delay(50)) {
        if (millis() - begin > JOIN_MS) {
            WiFi.mode(WIFI_OFF);
            return nullptr;
        }
    }
    strlcpy(address, WiFi.localIP().toString().c_str(), sizeof address);
    server = new WebServer(80);
    server->on("/", HTTP_GET, send_page);
    server->begin();
    return address;
}

extern "C" const char *board_network(void) {
    return server ? address : nullptr;
}

#endif
