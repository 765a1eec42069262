// The page over Wi-Fi under ESP-IDF. Its server has a lower priority than the worker, so that it only runs while the
// worker waits, on the core that both have.
#ifndef ARDUINO

#include "board.h"

#include <esp_event.h>
#include <esp_http_server.h>
#include <esp_netif.h>
#include <esp_wifi.h>
#include <freertos/FreeRTOS.h>
#include <freertos/event_groups.h>
#include <freertos/task.h>
#include <nvs_flash.h>

#include <string.h>

#define JOIN_MS  15000
#define JOINED   BIT0
#define PRIORITY (tskIDLE_PRIORITY + 1)

static EventGroupHandle_t events;
static httpd_handle_t server; // NULL: nothing is listening
static char address[16];

static void on_event(void *unused, esp_event_base_t base, int32_t event, void *data) {
    (void)unused;
    if (base == WIFI_EVENT && (event == WIFI_EVENT_STA_START || event == WIFI_EVENT_STA_DISCONNECTED)) {
        esp_wifi_connect();
    } else if (base == IP_EVENT && event == IP_EVENT_STA_GOT_IP) {
        const ip_event_got_ip_t *got = data;
        esp_ip4addr_ntoa(&got->ip_info.ip, address, sizeof address);
        xEventGroupSetBits(events, JOINED);
    }
}

static void send_piece(const char *text, size_t length, void *to) {
    httpd_resp_send_chunk(to, text, (ssize_t)length);
}

static esp_err_t send_page(httpd_req_t *request) {
    httpd_resp_set_type(request, "text/html; charset=utf-8");
    httpd_resp_set_hdr(request, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    extras_page(send_piece, request);
    return httpd_resp_send_chunk(request, NULL, 0);
}

static bool listen_for_browsers(void) {
    httpd_config_t config = HTTPD_DEFAULT_CONFIG();
    config.task_priority = PRIORITY;
    config.stack_size = 6144;
    httpd_uri_t page = {.uri = "/", .method = HTTP_GET, .handler = send_page};
    return httpd_start(&server, &config) == ESP_OK && httpd_register_uri_handler(server, &page) == ESP_OK;
}

// Once: the stack stays up for another try.
static bool start_wifi(void) {
    static bool started;
    if (started)
        return true;
    if (nvs_flash_init() != ESP_OK || esp_netif_init() != ESP_OK || esp_event_loop_create_default() != ESP_OK)
        return false;
    esp_netif_create_default_wifi_sta();
    events = xEventGroupCreate();
    wifi_init_config_t config = WIFI_INIT_CONFIG_DEFAULT();
    started = events && esp_wifi_init(&config) == ESP_OK && esp_wifi_set_storage(WIFI_STORAGE_RAM) == ESP_OK &&
              esp_event_handler_register(WIFI_EVENT, ESP_EVENT_ANY_ID, on_event, NULL) == ESP_OK &&
              esp_event_handler_register(IP_EVENT, IP_EVENT_STA_GOT_IP, on_event, NULL) == ESP_OK;
    return started;
}

const char *board_join(const char *name, const char *password) {
    wifi_config_t config = {0};
    if (server)
        return address;
    if (strlen(name) > sizeof config.sta.ssid || strlen(password) > sizeof config.sta.password || !start_wifi())
        return NULL;
    memcpy(config.sta.ssid, name, strlen(name));
    memcpy(config.sta.password, password, strlen(password));
    if (esp_wifi_set_mode(WIFI_MODE_STA) != ESP_OK || esp_wifi_set_config(WIFI_IF_STA, &config) != ESP_OK ||
        esp_wifi_start() != ESP_OK)
        return NULL;
    EventBits_t bits = xEventGroupWaitBits(events, JOINED, pdFALSE, pdTRUE, pdMS_TO_TICKS(JOIN_MS));
    if ((bits & JOINED) && listen_for_browsers())
        return address;
    esp_wifi_stop();
    return NULL;
}

const char *board_network(void) {
    return server ? address : NULL;
}

#endif
