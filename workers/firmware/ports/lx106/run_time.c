// What Debian's libgcc for this core leaves out, as libgcc has it, but for the product of two words (umulsidi3.S): the
// product of 64 bits, and divisions. The compiler calls them where C has such an operator, so they are part of what a
// library costs.
#include <stdint.h>

union words {
    uint64_t both;
    struct {
        uint32_t low, high;
    };
};

uint64_t __umulsidi3(uint32_t a, uint32_t b);

uint64_t __muldi3(uint64_t a, uint64_t b) {
    union words x = {a}, y = {b}, product = {__umulsidi3(x.low, y.low)};
    product.high += x.low * y.high + x.high * y.low;
    return product.both;
}

// Binary long division. The divisor is brought below the dividend's first bit.
static inline uint32_t divide(uint32_t dividend, uint32_t divisor, uint32_t *rest) {
    uint32_t quotient = 0;
    if (divisor == 0)
        __builtin_trap();
    if (divisor <= dividend) {
        int shift = __builtin_clz(divisor) - __builtin_clz(dividend);
        for (divisor <<= shift; shift >= 0; shift--, divisor >>= 1) {
            quotient <<= 1;
            if (dividend >= divisor) {
                dividend -= divisor;
                quotient |= 1;
            }
        }
    }
    *rest = dividend;
    return quotient;
}

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) {
    uint32_t rest;
    return divide(dividend, divisor, &rest);
}

uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) {
    uint32_t rest;
    divide(dividend, divisor, &rest);
    return rest;
}

static uint32_t magnitude(int32_t number) {
    return number < 0 ? -(uint32_t)number : (uint32_t)number;
}

int32_t __divsi3(int32_t dividend, int32_t divisor) {
    uint32_t quotient = __udivsi3(magnitude(dividend), magnitude(divisor));
    return (int32_t)((dividend ^ divisor) < 0 ? -quotient : quotient);
}

// libgcc has these, which give quotient and rest together.
uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *rest);
int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *rest);

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) {
    return __udivmoddi4(dividend, divisor, 0);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) {
    uint64_t rest;
    __udivmoddi4(dividend, divisor, &rest);
    return rest;
}

int64_t __divdi3(int64_t dividend, int64_t divisor) {
    int64_t rest;
    return __divmoddi4(dividend, divisor, &rest);
}
