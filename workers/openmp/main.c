// Ciphermeter's OpenMP worker: it speaks PROTOCOL.md on standard input and output and hosts the provider `openmp`.
//
// It promises one answer for each line (`describe`: a list), never a crash whatever a line contains, and exit code 0 at
// the end of its input.
#include "lines.h"
#include "worker.h"

#include <stdio.h>

int main(void) {
    static struct worker worker;
    static struct lines lines = {.file = 0};
    worker.absent = team_absent();
    if (!worker.absent && !ctr_load())
        worker.absent = "libcrypto has no AES-256-CTR; install OpenSSL with its default provider";
    for (;;) {
        struct line line;
        switch (lines_next(&lines, &line)) {
        case LINE_READ:
            if (!worker_answer(&worker, line.text, line.length))
                return 1;
            continue;
        case LINE_TOO_LONG:
            if (!reply_send(reply_error("a line of more than %u bytes; send a shorter one", MAX_LINE)))
                return 1;
            continue;
        case LINE_END:
            worker_free(&worker);
            return 0;
        case LINE_FAILED:
            perror("openmp worker: reading requests");
            return 1;
        }
    }
}
