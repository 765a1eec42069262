#include "page.h"

#include "decimal.h"

#include <stdbool.h>
#include <string.h>

static struct page_row rows[PAGE_ROWS];
static uint32_t notes; // how many samples were noted

static void copy(char *to, const char *from) {
    size_t i = 0;
    for (; from[i] && i + 1 < PAGE_NAME; i++)
        to[i] = from[i];
    to[i] = 0;
}

// Whether a name is the one that was kept, as far as there was room for it.
static bool is_same(const char *kept, const char *given) {
    size_t i = 0;
    for (; kept[i]; i++)
        if (kept[i] != given[i])
            return false;
    return !given[i] || i == PAGE_NAME - 1;
}

static struct page_row *row_for(const char *provider, const char *algorithm, const char *operation, uint32_t message) {
    struct page_row *oldest = rows;
    for (struct page_row *row = rows; row < rows + PAGE_ROWS; row++) {
        if (row->age > 0 && row->message == message && strcmp(row->operation, operation) == 0 &&
            is_same(row->provider, provider) && is_same(row->algorithm, algorithm))
            return row;
        if (row->age < oldest->age)
            oldest = row;
    }
    return oldest;
}

void page_note(const char *provider, const char *algorithm, const char *path, const char *operation, uint32_t message,
               uint64_t ns, uint32_t iterations, uint64_t charge) {
    struct page_row *row = row_for(provider, algorithm, operation, message);
    copy(row->provider, provider);
    copy(row->algorithm, algorithm);
    copy(row->path, path);
    row->operation = operation;
    row->message = message;
    row->ns = ns;
    row->iterations = iterations;
    row->charge = charge;
    row->age = ++notes;
}

struct writer {
    void (*put)(const char *text, size_t length, void *to);
    void *to;
};

static void put_raw(const struct writer *writer, const char *text) {
    writer->put(text, strlen(text), writer->to);
}

// Text that stands for itself in HTML, in quotes too.
static void put_text(const struct writer *writer, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&':
            put_raw(writer, "&amp;");
            break;
        case '<':
            put_raw(writer, "&lt;");
            break;
        case '>':
            put_raw(writer, "&gt;");
            break;
        case '"':
            put_raw(writer, "&quot;");
            break;
        case '\'':
            put_raw(writer, "&#39;");
            break;
        default:
            writer->put(text, 1, writer->to);
        }
    }
}

static void put_number(const struct writer *writer, uint64_t number) {
    char digits[DECIMAL];
    put_raw(writer, decimal(number, digits));
}

// A quotient with two decimals.
static void put_quotient(const struct writer *writer, uint64_t dividend, uint64_t divisor) {
    uint64_t hundredths = (dividend * 100 + divisor / 2) / divisor;
    put_number(writer, hundredths / 100);
    char rest[] = {'.', (char)('0' + hundredths / 10 % 10), (char)('0' + hundredths % 10), 0};
    put_raw(writer, rest);
}

static void put_fact(const struct writer *writer, const char *name, uint32_t number, const char *unit) {
    if (number == 0)
        return;
    put_raw(writer, "<li>");
    put_raw(writer, name);
    put_number(writer, number);
    put_raw(writer, unit);
    put_raw(writer, "</li>");
}

static void put_row(const struct writer *writer, const struct page_row *row) {
    const char *texts[] = {row->provider, row->algorithm, row->operation, row->path};
    put_raw(writer, "<tr>");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_raw(writer, "<td>");
        put_text(writer, texts[i]);
        put_raw(writer, "</td>");
    }
    put_raw(writer, "<td>");
    put_number(writer, row->message);
    put_raw(writer, "</td><td>");
    put_quotient(writer, row->ns, (uint64_t)row->iterations * 1000);
    put_raw(writer, "</td><td>");
    if (row->charge > 0)
        put_quotient(writer, row->charge, (uint64_t)row->iterations * 1000);
    put_raw(writer, "</td></tr>");
}

static const char head[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"5\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>Ciphermeter</title>"
    "<style>body{font-family:sans-serif}td,th{padding:.2em .6em;text-align:left}"
    "td:nth-child(n+5){text-align:right}</style><h1>Ciphermeter on ";
static const char columns[] = "<table><tr><th>provider<th>algorithm<th>operation<th>code path<th>bytes"
                              "<th>\302\265s a message<th>\302\265C a message</tr>";

void page_write(const struct page_facts *facts, void (*put)(const char *text, size_t length, void *to), void *to) {
    struct writer writer = {put, to};
    put_raw(&writer, head);
    put_text(&writer, facts->board);
    put_raw(&writer, "</h1><ul>");
    put_fact(&writer, "CPU clock: ", facts->clock_hz / 1000000, " MHz");
    put_fact(&writer, "heap free: ", facts->heap_free, " B");
    put_fact(&writer, "least heap free since the start: ", facts->heap_least, " B");
    put_fact(&writer, "deepest stack: ", facts->stack, " B");
    if (facts->light >= 0) {
        put_raw(&writer, "<li>light: ");
        put_number(&writer, (uint64_t)facts->light);
        put_raw(&writer, " of 4095</li>");
    }
    put_raw(&writer, "<li>current meter: ");
    put_text(&writer, facts->meter ? facts->meter : "none");
    put_raw(&writer, "</li></ul>");
    if (notes == 0)
        put_raw(&writer,
                "<p>No sample yet. Start a run on the computer: <code>ciphermeter run iot --device PORT</code>");
    else
        put_raw(&writer, columns);
    for (const struct page_row *row = rows; row < rows + PAGE_ROWS; row++)
        if (row->age > 0)
            put_row(&writer, row);
    if (notes > 0)
        put_raw(&writer, "</table><p>Each row is one sample, the latest. While the network is on, it takes time and "
                         "current of what is measured: leave it off for figures that you publish.");
    put_raw(&writer, "</html>");
}
