// The code path of libcrypto's AES-256-CTR on this CPU.
#ifndef PATH_H
#define PATH_H

// As the built-in provider `openssl` reports it; `unknown` where the version's rule is not known.
const char *ctr_path(void);

#endif
