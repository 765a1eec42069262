#pragma once
#include <Arduino.h>
typedef enum { WL_IDLE_STATUS = 0, WL_CONNECTED = 3 } wl_status_t;
typedef enum { WIFI_OFF = 0, WIFI_STA } wifi_mode_t;
class IPAddress {
  public:
    String toString() const;
};
class WiFiClass {
  public:
    bool mode(wifi_mode_t mode);
    wl_status_t begin(const char *name, const char *password = nullptr);
    wl_status_t status();
    IPAddress localIP();
};
extern WiFiClass WiFi;
