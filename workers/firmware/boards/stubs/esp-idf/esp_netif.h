#pragma once
#include <esp_event.h>
typedef struct {
    uint32_t addr;
} esp_ip4_addr_t;
typedef struct {
    esp_ip4_addr_t ip;
} esp_netif_ip_info_t;
typedef struct {
    esp_netif_ip_info_t ip_info;
} ip_event_got_ip_t;
typedef struct esp_netif_obj esp_netif_t;
extern esp_event_base_t const IP_EVENT;
enum { IP_EVENT_STA_GOT_IP };
esp_err_t esp_netif_init(void);
char *esp_ip4addr_ntoa(const esp_ip4_addr_t *address, char *text, int length);
