// The kernels: AES-256-CTR in two designs, XOR with a key, and the ceiling that inverts each byte, all in place.
//
// `tables`: SubBytes, ShiftRows and MixColumns of a column are four look-ups in a table of 32-bit words, rotated, which
// lies in shared memory once for each of its 32 banks (32 KiB), so that no two threads of a warp meet in one.
// `bitsliced`: two blocks a thread in eight words, as in the provider wgpu's kernels.wgsl, where it is explained.
//
// Both are compiled at start for the card at hand. The same source is compiled as C++ in a test, which runs the threads
// of a block one after another: that is why a kernel has at most one barrier, and only writes shared memory before it.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// What AES needs of a key and of a launch. It is a kernel's parameter, so that it lies in constant memory.
struct Counter {
    // The counter block of the launch's first block, as big-endian words, the most significant first.
    u32 words[4];
};
struct RoundKeys {
    u32 words[60];
};
struct PlaneKeys {
    u32 planes[120];
};

static __device__ __forceinline__ u64 first_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ u64 all_threads() { return (u64)gridDim.x * blockDim.x; }

static __device__ __forceinline__ u32 rotate_right(u32 x, u32 bits) { return (x >> bits) | (x << (32 - bits)); }

static __device__ __forceinline__ u32 bytes_reversed(u32 x) {
    return (rotate_right(x, 8) & 0xff00ff00u) | (rotate_right(x, 24) & 0x00ff00ffu);
}

// The counter block `blocks` after the first, as the columns of a state.
static __device__ __forceinline__ void counter_block(const Counter &first, u64 blocks, u32 column[4]) {
    const u64 low = ((u64)first.words[2] << 32 | first.words[3]) + blocks;
    u64 high = (u64)first.words[0] << 32 | first.words[1];
    high += low < blocks;
    column[0] = bytes_reversed((u32)(high >> 32));
    column[1] = bytes_reversed((u32)high);
    column[2] = bytes_reversed((u32)(low >> 32));
    column[3] = bytes_reversed((u32)low);
}

static __device__ __forceinline__ void add(uint4 *data, const u32 column[4]) {
    uint4 text = *data;
    text.x ^= column[0];
    text.y ^= column[1];
    text.z ^= column[2];
    text.w ^= column[3];
    *data = text;
}

// The S-box by its definition: the inverse in GF(2^8), then an affine map. For the tables and the key schedule.
static __device__ u32 multiply(u32 a, u32 b) {
    u32 product = 0;
    for (int i = 0; i < 8; i++) {
        product ^= (b >> i & 1) ? a : 0;
        a = a << 1 ^ ((a & 0x80) ? 0x11b : 0);
    }
    return product;
}

static __device__ u32 s_box(u32 x) {
    // x^254 = x^2 * x^4 * ... * x^128.
    u32 inverse = 1, power = x;
    for (int i = 0; i < 7; i++) {
        power = multiply(power, power);
        inverse = multiply(inverse, power);
    }
    u32 y = inverse;
    for (int i = 1; i < 5; i++) y ^= inverse << i | inverse >> (8 - i);
    return (y & 0xff) ^ 0x63;
}

static __device__ u32 s_box_of_word(u32 x) {
    return s_box(x & 0xff) | s_box(x >> 8 & 0xff) << 8 | s_box(x >> 16 & 0xff) << 16 | s_box(x >> 24) << 24;
}

// The table of row 0: 256 threads write an entry each. Row r's is the same, rotated left by r bytes.
extern "C" __global__ void make_table(u32 *table) {
    const u32 s = s_box(threadIdx.x);
    const u32 twice = multiply(s, 2);
    table[threadIdx.x] = twice | s << 8 | s << 16 | (twice ^ s) << 24;
}

static __device__ __forceinline__ void swap_bits(u32 &low, u32 &high, u32 shift, u32 mask) {
    const u32 t = ((low >> shift) ^ high) & mask;
    high ^= t;
    low ^= t << shift;
}

// Transposes each 8 x 8 bits of eight words: words to planes, and back.
static __device__ __forceinline__ void transpose(u32 w[8]) {
#pragma unroll
    for (int i = 0; i < 8; i += 2) swap_bits(w[i], w[i + 1], 1, 0x55555555u);
#pragma unroll
    for (int i = 0; i < 8; i += i % 4 == 0 ? 1 : 3) swap_bits(w[i], w[i + 2], 2, 0x33333333u);
#pragma unroll
    for (int i = 0; i < 4; i++) swap_bits(w[i], w[i + 4], 4, 0x0f0f0f0fu);
}

// The key schedule of FIPS 197, by one thread, once for each cell: round keys as words, and as planes, whose rows are
// rotated back as the state's are and which contain the S-box's constant.
extern "C" __global__ void expand_key(const u32 *key, RoundKeys *round_keys, PlaneKeys *plane_keys) {
    u32 *words = round_keys->words;
    for (int i = 0; i < 8; i++) words[i] = key[i];
    u32 constant = 1;
    for (int i = 8; i < 60; i++) {
        u32 word = words[i - 1];
        if (i % 8 == 0) {
            word = s_box_of_word(rotate_right(word, 8)) ^ constant;
            constant <<= 1;
        } else if (i % 8 == 4) {
            word = s_box_of_word(word);
        }
        words[i] = words[i - 8] ^ word;
    }
    for (int number = 0; number < 15; number++) {
        u32 *planes = plane_keys->planes + 8 * number;
        for (int column = 0; column < 4; column++) {
            u32 word = number == 0 ? 0 : 0x63636363u;
            for (int row = 0; row < 4; row++) {
                // 64 keeps the difference positive.
                const int from = (column + 64 - number * row) % 4;
                word ^= words[4 * number + from] & 0xffu << 8 * row;
            }
            planes[2 * column] = planes[2 * column + 1] = word;
        }
        transpose(planes);
    }
}

// A look-up of the byte at `shift` of a word in this thread's copy of the table: `lane` is 4 times the bank.
static __device__ __forceinline__ u32 look_up(const u32 *copies, u32 word, u32 shift, u32 lane) {
    const u32 place = (shift < 7 ? word << (7 - shift) : word >> (shift - 7)) & 0x7f80u;
    return *(const u32 *)((const u8 *)copies + (place | lane));
}

static __device__ __forceinline__ u32 mixed(const u32 *copies, u32 row, u32 word, u32 lane) {
    const u32 entry = look_up(copies, word, 8 * row, lane);
    return row == 0 ? entry : rotate_right(entry, 32 - 8 * row);
}

extern "C" __global__ void __launch_bounds__(1024) tables(uint4 *data, u64 blocks, const u32 *table, const Counter counter,
                                    const RoundKeys keys) {
    extern __shared__ u32 copies[];
    for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) copies[i] = table[i / 32];
    __syncthreads();
    const u32 lane = threadIdx.x % 32 * 4;
    for (u64 block = first_thread(); block < blocks; block += all_threads()) {
        u32 a[4], b[4];
        counter_block(counter, block, a);
#pragma unroll
        for (int c = 0; c < 4; c++) a[c] ^= keys.words[c];
#pragma unroll
        for (int round = 1; round < 14; round++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                b[c] = mixed(copies, 0, a[c], lane) ^ mixed(copies, 1, a[(c + 1) % 4], lane) ^
                       mixed(copies, 2, a[(c + 2) % 4], lane) ^ mixed(copies, 3, a[(c + 3) % 4], lane) ^
                       keys.words[4 * round + c];
            }
#pragma unroll
            for (int c = 0; c < 4; c++) a[c] = b[c];
        }
        // The last round mixes no columns: byte 1 of an entry is the S-box alone.
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const u32 s0 = look_up(copies, a[c], 0, lane) >> 8 & 0xff;
            const u32 s1 = look_up(copies, a[(c + 1) % 4], 8, lane) & 0xff00;
            const u32 s2 = look_up(copies, a[(c + 2) % 4], 16, lane) & 0xff0000;
            const u32 s3 = look_up(copies, a[(c + 3) % 4], 24, lane) << 8 & 0xff000000u;
            b[c] = (s0 | s1 | s2 | s3) ^ keys.words[56 + c];
        }
        add(data + block, b);
    }
}

// The S-box in 113 gates (Boyar, Peralta and Calik), without its constant 0x63, which is in the round keys.
static __device__ __forceinline__ void substitute(u32 state[8]) {
    const u32 u7 = state[0], u6 = state[1], u5 = state[2], u4 = state[3];
    const u32 u3 = state[4], u2 = state[5], u1 = state[6], u0 = state[7];
    const u32 y14 = u3 ^ u5, y13 = u0 ^ u6, y12 = y13 ^ y14, t1 = u4 ^ y12;
    const u32 y15 = t1 ^ u5, t2 = y12 & y15, y6 = y15 ^ u7, y20 = t1 ^ u1;
    const u32 y9 = u0 ^ u3, y11 = y20 ^ y9, t12 = y9 & y11, y7 = u7 ^ y11;
    const u32 y8 = u0 ^ u5, t0 = u1 ^ u2, y10 = y15 ^ t0, y17 = y10 ^ y11;
    const u32 t13 = y14 & y17, t14 = t13 ^ t12, y19 = y10 ^ y8, t15 = y8 & y10;
    const u32 t16 = t15 ^ t12, y16 = t0 ^ y11, y21 = y13 ^ y16, t7 = y13 & y16;
    const u32 y18 = u0 ^ y16, y1 = t0 ^ u7, y4 = y1 ^ u3, t5 = y4 & u7;
    const u32 t6 = t5 ^ t2, t18 = t6 ^ t16, t22 = t18 ^ y19, y2 = y1 ^ u0;
    const u32 t10 = y2 & y7, t11 = t10 ^ t7, t20 = t11 ^ t16, t24 = t20 ^ y18;
    const u32 y5 = y1 ^ u6, t8 = y5 & y1, t9 = t8 ^ t7, t19 = t9 ^ t14;
    const u32 t23 = t19 ^ y21, y3 = y5 ^ y8, t3 = y3 & y6, t4 = t3 ^ t2;
    const u32 t17 = t4 ^ y20, t21 = t17 ^ t14, t26 = t21 & t23, t27 = t24 ^ t26;
    const u32 t31 = t22 ^ t26, t25 = t21 ^ t22, t28 = t25 & t27, t29 = t28 ^ t22;
    const u32 z14 = t29 & y2, z5 = t29 & y7, t30 = t23 ^ t24, t32 = t31 & t30;
    const u32 t33 = t32 ^ t24, t35 = t27 ^ t33, t36 = t24 & t35, t38 = t27 ^ t36;
    const u32 t39 = t29 & t38, t40 = t25 ^ t39, t43 = t29 ^ t40, z3 = t43 & y16;
    const u32 tc12 = z3 ^ z5, z12 = t43 & y13, z13 = t40 & y5, z4 = t40 & y1;
    const u32 tc6 = z3 ^ z4, t34 = t23 ^ t33, t37 = t36 ^ t34, t41 = t40 ^ t37;
    const u32 z8 = t41 & y10, z17 = t41 & y8, t44 = t33 ^ t37, z0 = t44 & y15;
    const u32 z9 = t44 & y12, z10 = t37 & y3, z1 = t37 & y6, tc5 = z1 ^ z0;
    const u32 tc11 = tc6 ^ tc5, z11 = t33 & y4, t42 = t29 ^ t33, t45 = t42 ^ t41;
    const u32 z7 = t45 & y17, tc8 = z7 ^ tc6, z16 = t45 & y14, z6 = t42 & y11;
    const u32 tc16 = z6 ^ tc8, z15 = t42 & y9, tc20 = z15 ^ tc16, tc1 = z15 ^ z16;
    const u32 tc2 = z10 ^ tc1, tc21 = tc2 ^ z11, tc3 = z9 ^ tc2, s0 = tc3 ^ tc16;
    const u32 s3 = tc3 ^ tc11, s1 = s3 ^ tc16, tc13 = z13 ^ tc1, z2 = t33 & u7;
    const u32 tc4 = z0 ^ z2, tc7 = z12 ^ tc4, tc9 = z8 ^ tc7, tc10 = tc8 ^ tc9;
    const u32 tc17 = z14 ^ tc10, s5 = tc21 ^ tc17, tc26 = tc17 ^ tc20, s2 = tc26 ^ z17;
    const u32 tc14 = tc4 ^ tc12, tc18 = tc13 ^ tc14, s6 = tc10 ^ tc18, s7 = z12 ^ tc18;
    const u32 s4 = tc14 ^ s3;
    state[0] = s7, state[1] = s6, state[2] = s5, state[3] = s4;
    state[4] = s3, state[5] = s2, state[6] = s1, state[7] = s0;
}

// A plane's bits from one row below and ROUND columns to the right.
template <int ROUND> static __device__ __forceinline__ u32 next_row(u32 plane) {
    if (ROUND == 0) return rotate_right(plane, 8);
    const u32 same = (0xffu >> 2 * ROUND) * 0x01010101u;
    return (rotate_right(plane, 8 + 2 * ROUND) & same) | (rotate_right(plane, ROUND == 0 ? 8 : 2 * ROUND) & ~same);
}

// The same of two rows, and twice as many columns.
template <int ROUND> static __device__ __forceinline__ u32 second_row(u32 plane) {
    if (ROUND % 2 == 0) return rotate_right(plane, 16);
    return (rotate_right(plane, 20) & 0x0f0f0f0fu) | (rotate_right(plane, 12) & 0xf0f0f0f0u);
}

// SubBytes, ShiftRows and MixColumns of a round whose number leaves ROUND when divided by 4, and its key.
template <int ROUND> static __device__ __forceinline__ void full_round(u32 state[8], const u32 *key) {
    substitute(state);
    u32 next[8], sum[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        next[i] = next_row<ROUND>(state[i]);
        sum[i] = state[i] ^ next[i];
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        u32 twice = sum[(i + 7) % 8];
        if (i == 1 || i == 3 || i == 4) twice ^= sum[7];
        state[i] = twice ^ next[i] ^ second_row<ROUND>(sum[i]) ^ key[i];
    }
}

extern "C" __global__ void bitsliced(uint4 *data, u64 blocks, const Counter counter, const PlaneKeys keys) {
    for (u64 pair = first_thread(); 2 * pair < blocks; pair += all_threads()) {
        u32 one[4], two[4], state[8];
        counter_block(counter, 2 * pair, one);
        counter_block(counter, 2 * pair + 1, two);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            state[2 * c] = one[c];
            state[2 * c + 1] = two[c];
        }
        transpose(state);
#pragma unroll
        for (int i = 0; i < 8; i++) state[i] ^= keys.planes[i];
        for (int number = 1; number < 13; number += 4) {
            const u32 *const key = keys.planes + 8 * number;
            full_round<1>(state, key);
            full_round<2>(state, key + 8);
            full_round<3>(state, key + 16);
            full_round<0>(state, key + 24);
        }
        full_round<1>(state, keys.planes + 104);
        substitute(state);
#pragma unroll
        for (int i = 0; i < 8; i++) state[i] ^= keys.planes[112 + i];
        transpose(state);
        // Fourteen ShiftRows are two: rows 1 and 3 by two columns.
#pragma unroll
        for (int c = 0; c < 4; c++) {
            one[c] = (state[2 * c] & 0x00ff00ffu) | (state[(2 * c + 4) % 8] & 0xff00ff00u);
            two[c] = (state[2 * c + 1] & 0x00ff00ffu) | (state[(2 * c + 5) % 8] & 0xff00ff00u);
        }
        add(data + 2 * pair, one);
        if (2 * pair + 1 < blocks) add(data + 2 * pair + 1, two);
    }
}

// The key is a whole number of units of 16 bytes; the launch begins at `key_start` of them.
extern "C" __global__ void exclusive_or(uint4 *data, u64 blocks, const uint4 *key, u32 key_units, u32 key_start) {
    u64 block = first_thread();
    u32 place = (u32)((block + key_start) % key_units);
    const u32 step = (u32)(all_threads() % key_units);
    for (; block < blocks; block += all_threads()) {
        const uint4 unit = key[place];
        const u32 column[4] = {unit.x, unit.y, unit.z, unit.w};
        add(data + block, column);
        place += step;
        place -= place >= key_units ? key_units : 0;
    }
}

extern "C" __global__ void invert(uint4 *data, u64 blocks) {
    const u32 ones[4] = {~0u, ~0u, ~0u, ~0u};
    for (u64 block = first_thread(); block < blocks; block += all_threads()) add(data + block, ones);
}
