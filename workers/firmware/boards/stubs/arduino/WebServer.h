#pragma once
#include <Arduino.h>
#include <functional>
#define CONTENT_LENGTH_UNKNOWN ((size_t)-1)
typedef enum { HTTP_GET = 1 } HTTPMethod;
class WebServer {
  public:
    explicit WebServer(int port);
    void on(const char *uri, HTTPMethod method, std::function<void()> handler);
    void begin();
    void handleClient();
    void sendHeader(const char *name, const char *value);
    void setContentLength(size_t length);
    void send(int code, const char *type, const char *content);
    void sendContent(const char *content, size_t length);
};
