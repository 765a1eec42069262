// The program, where no framework brings its own main.
#include "port.h"
#include "worker.h"

int main(void) {
    worker_run();
    port_exit(0);
    return 0;
}
