#pragma once
#include <esp_err.h>
#include <stddef.h>
#include <sys/types.h>
typedef void *httpd_handle_t;
typedef struct httpd_req httpd_req_t;
typedef enum { HTTP_GET = 1 } httpd_method_t;
typedef struct {
    unsigned task_priority;
    size_t stack_size;
} httpd_config_t;
#define HTTPD_DEFAULT_CONFIG() {.task_priority = 5, .stack_size = 4096}
typedef struct {
    const char *uri;
    httpd_method_t method;
    esp_err_t (*handler)(httpd_req_t *request);
    void *user_ctx;
} httpd_uri_t;
esp_err_t httpd_start(httpd_handle_t *server, const httpd_config_t *config);
esp_err_t httpd_register_uri_handler(httpd_handle_t server, const httpd_uri_t *uri);
esp_err_t httpd_resp_set_type(httpd_req_t *request, const char *type);
esp_err_t httpd_resp_set_hdr(httpd_req_t *request, const char *name, const char *value);
esp_err_t httpd_resp_send_chunk(httpd_req_t *request, const char *text, ssize_t length);
