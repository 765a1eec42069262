// Ways of encrypting 1 GiB from one file to another on two threads, and parts of them, for PARALLEL.md.
//
//   gcc -O2 files.c -o files -lcrypto -lpthread && ./files FOLDER new|old
//
// `new`: the output is emptied and its space reserved before each turn; `old`: written over.
#define _GNU_SOURCE
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, TURNS = 5 };
static const size_t BYTES = 1 << 30;

enum way { WINDOWS, AT_ONCE, WHOLE, MAPPED_IN, READ_WRITE, WRITE, READ, ENCRYPT };

static const struct {
    enum way way;
    size_t piece;
    const char *name;
} WAYS[] = {
    {WINDOWS, 64 << 20, "both mapped, windows of 64 MiB"},
    {AT_ONCE, 64 << 20, "the same, MAP_POPULATE"},
    {WHOLE, 1 << 20, "both mapped as a whole"},
    {MAPPED_IN, 1 << 20, "input mapped, output written"},
    {READ_WRITE, 1 << 20, "read and written, 1 MiB"},
    {READ_WRITE, 256 << 10, "read and written, 256 KiB"},
    {WRITE, 1 << 20, "written alone"},
    {READ, 1 << 20, "read alone"},
    {ENCRYPT, 256 << 10, "encrypted alone, 256 KiB"},
};

static int in, out;
static char *whole_in, *whole_out;
static enum way way;
static size_t piece;

static void must(int holds) {
    if (!holds) {
        perror("files");
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void encrypt(EVP_CIPHER_CTX *cipher, void *to, const void *from, size_t bytes) {
    int length = 0;
    must(EVP_EncryptUpdate(cipher, to, &length, from, (int)bytes) == 1);
}

static void one_piece(EVP_CIPHER_CTX *cipher, unsigned char *buffer, size_t at) {
    switch (way) {
    case WINDOWS:
    case AT_ONCE: {
        int flags = MAP_SHARED | (way == AT_ONCE ? MAP_POPULATE : 0);
        void *from = mmap(NULL, piece, PROT_READ, flags, in, (off_t)at);
        void *to = mmap(NULL, piece, PROT_READ | PROT_WRITE, flags, out, (off_t)at);
        must(from != MAP_FAILED && to != MAP_FAILED);
        encrypt(cipher, to, from, piece);
        munmap(from, piece);
        munmap(to, piece);
        break;
    }
    case WHOLE:
        encrypt(cipher, whole_out + at, whole_in + at, piece);
        break;
    case MAPPED_IN: {
        void *from = mmap(NULL, piece, PROT_READ, MAP_SHARED | MAP_POPULATE, in, (off_t)at);
        must(from != MAP_FAILED);
        encrypt(cipher, buffer, from, piece);
        munmap(from, piece);
        must(pwrite(out, buffer, piece, (off_t)at) == (ssize_t)piece);
        break;
    }
    case READ_WRITE:
        must(pread(in, buffer, piece, (off_t)at) == (ssize_t)piece);
        encrypt(cipher, buffer, buffer, piece);
        must(pwrite(out, buffer, piece, (off_t)at) == (ssize_t)piece);
        break;
    case WRITE:
        must(pwrite(out, buffer, piece, (off_t)at) == (ssize_t)piece);
        break;
    case READ:
        must(pread(in, buffer, piece, (off_t)at) == (ssize_t)piece);
        break;
    case ENCRYPT:
        encrypt(cipher, buffer, buffer, piece);
        break;
    }
}

static void *half(void *number) {
    size_t thread = (size_t)number;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(thread, &cpus);
    pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    unsigned char key[32] = {1}, nonce[16] = {2};
    must(cipher && EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), NULL, key, nonce) == 1);
    unsigned char *buffer = aligned_alloc(4096, piece);
    must(buffer != NULL);
    memset(buffer, 1, piece);
    for (size_t at = BYTES / THREADS * thread; at < BYTES / THREADS * (thread + 1); at += piece)
        one_piece(cipher, buffer, at);
    free(buffer);
    EVP_CIPHER_CTX_free(cipher);
    return NULL;
}

static double turn(int is_new) {
    if (is_new) {
        munmap(whole_out, BYTES);
        must(ftruncate(out, 0) == 0 && posix_fallocate(out, 0, (off_t)BYTES) == 0);
        whole_out = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0);
        must(whole_out != MAP_FAILED);
    }
    double began = now();
    pthread_t threads[THREADS];
    for (size_t thread = 0; thread < THREADS; thread++)
        must(pthread_create(&threads[thread], NULL, half, (void *)thread) == 0);
    for (size_t thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], NULL);
    return now() - began;
}

int main(int count, char **words) {
    if (count != 3 || chdir(words[1]) != 0) {
        fprintf(stderr, "usage: files FOLDER new|old\n");
        return 2;
    }
    int is_new = strcmp(words[2], "new") == 0;
    in = open(".", O_TMPFILE | O_RDWR, 0600);
    out = open(".", O_TMPFILE | O_RDWR, 0600);
    must(in >= 0 && out >= 0);
    static char text[1 << 20];
    memset(text, 3, sizeof text);
    for (size_t at = 0; at < BYTES; at += sizeof text)
        must(write(in, text, sizeof text) > 0 && write(out, text, sizeof text) > 0);
    must(fsync(in) == 0 && fsync(out) == 0);
    whole_in = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, in, 0);
    whole_out = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0);
    must(whole_in != MAP_FAILED && whole_out != MAP_FAILED);
    for (size_t place = 0; place < sizeof WAYS / sizeof *WAYS; place++) {
        way = WAYS[place].way;
        piece = WAYS[place].piece;
        turn(is_new);
        double least = 1e9, sum = 0;
        for (int number = 0; number < TURNS; number++) {
            double seconds = turn(is_new);
            least = seconds < least ? seconds : least;
            sum += seconds;
        }
        printf("%-32s %5.2f GB/s, at best %5.2f\n", WAYS[place].name, (double)BYTES * TURNS / sum / 1e9,
               (double)BYTES / least / 1e9);
        fflush(stdout);
    }
}
