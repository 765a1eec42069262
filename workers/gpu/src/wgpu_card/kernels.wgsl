// The kernels: AES-256-CTR, XOR with a key, and the ceiling that inverts each byte, all in place.
//
// AES works on two blocks at once. A plane is a u32 with one bit of each of their 32 bytes; eight planes are the state.
// In a plane, the bit of row r, column c and block b has the place 8r + 2c + b. ShiftRows never moves a bit: after
// round r the state is what it should be with its rows rotated back r times, and MixColumns and the round keys know.
// (Fixslicing: Adomnicai and Peyrin, CHES 2021.) Two blocks need 8 registers of state, where 32 blocks in 128 planes
// would need 128: too many for most cards, and too much code for drivers that inline everything.
// No table is read, so times depend on no key, and no subgroup is assumed.

struct Parameters {
    // The counter block of the dispatch's first block, as big-endian words, the most significant first.
    counter: vec4<u32>,
    // Of XOR: where in the key the dispatch begins, in units of 16 bytes.
    key_start: u32,
    // Of XOR: the key's length in these units.
    key_units: u32,
    // How many invocations have work: each has 32 bytes.
    pairs: u32,
    unused: u32,
}

struct Planes {
    low: vec4<u32>,
    high: vec4<u32>,
}

@group(0) @binding(0) var<storage, read_write> data: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<uniform> round_keys: array<vec4<u32>, 30>;
@group(0) @binding(3) var<storage, read> key: array<vec4<u32>>;

fn rotate_right(planes: vec4<u32>, bits: u32) -> vec4<u32> {
    return (planes >> vec4(bits)) | (planes << vec4(32u - bits));
}

fn swap_bits(pair: vec2<u32>, shift: u32, mask: u32) -> vec2<u32> {
    let t = ((pair.x >> shift) ^ pair.y) & mask;
    return vec2(pair.x ^ (t << shift), pair.y ^ t);
}

// Transposes each 8 x 8 bits of eight words: words to planes, and back.
fn transpose(words: Planes) -> Planes {
    let a0 = swap_bits(words.low.xy, 1u, 0x55555555u);
    let a2 = swap_bits(words.low.zw, 1u, 0x55555555u);
    let a4 = swap_bits(words.high.xy, 1u, 0x55555555u);
    let a6 = swap_bits(words.high.zw, 1u, 0x55555555u);
    let b0 = swap_bits(vec2(a0.x, a2.x), 2u, 0x33333333u);
    let b1 = swap_bits(vec2(a0.y, a2.y), 2u, 0x33333333u);
    let b4 = swap_bits(vec2(a4.x, a6.x), 2u, 0x33333333u);
    let b5 = swap_bits(vec2(a4.y, a6.y), 2u, 0x33333333u);
    let c0 = swap_bits(vec2(b0.x, b4.x), 4u, 0x0f0f0f0fu);
    let c1 = swap_bits(vec2(b1.x, b5.x), 4u, 0x0f0f0f0fu);
    let c2 = swap_bits(vec2(b0.y, b4.y), 4u, 0x0f0f0f0fu);
    let c3 = swap_bits(vec2(b1.y, b5.y), 4u, 0x0f0f0f0fu);
    return Planes(vec4(c0.x, c1.x, c2.x, c3.x), vec4(c0.y, c1.y, c2.y, c3.y));
}

// The S-box in 113 gates (Boyar, Peralta and Calik), without its constant 0x63, which is in the round keys.
fn substitute(state: Planes) -> Planes {
    let u7 = state.low.x;
    let u6 = state.low.y;
    let u5 = state.low.z;
    let u4 = state.low.w;
    let u3 = state.high.x;
    let u2 = state.high.y;
    let u1 = state.high.z;
    let u0 = state.high.w;
    let y14 = u3 ^ u5;
    let y13 = u0 ^ u6;
    let y12 = y13 ^ y14;
    let t1 = u4 ^ y12;
    let y15 = t1 ^ u5;
    let t2 = y12 & y15;
    let y6 = y15 ^ u7;
    let y20 = t1 ^ u1;
    let y9 = u0 ^ u3;
    let y11 = y20 ^ y9;
    let t12 = y9 & y11;
    let y7 = u7 ^ y11;
    let y8 = u0 ^ u5;
    let t0 = u1 ^ u2;
    let y10 = y15 ^ t0;
    let y17 = y10 ^ y11;
    let t13 = y14 & y17;
    let t14 = t13 ^ t12;
    let y19 = y10 ^ y8;
    let t15 = y8 & y10;
    let t16 = t15 ^ t12;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let t7 = y13 & y16;
    let y18 = u0 ^ y16;
    let y1 = t0 ^ u7;
    let y4 = y1 ^ u3;
    let t5 = y4 & u7;
    let t6 = t5 ^ t2;
    let t18 = t6 ^ t16;
    let t22 = t18 ^ y19;
    let y2 = y1 ^ u0;
    let t10 = y2 & y7;
    let t11 = t10 ^ t7;
    let t20 = t11 ^ t16;
    let t24 = t20 ^ y18;
    let y5 = y1 ^ u6;
    let t8 = y5 & y1;
    let t9 = t8 ^ t7;
    let t19 = t9 ^ t14;
    let t23 = t19 ^ y21;
    let y3 = y5 ^ y8;
    let t3 = y3 & y6;
    let t4 = t3 ^ t2;
    let t17 = t4 ^ y20;
    let t21 = t17 ^ t14;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t31 = t22 ^ t26;
    let t25 = t21 ^ t22;
    let t28 = t25 & t27;
    let t29 = t28 ^ t22;
    let z14 = t29 & y2;
    let z5 = t29 & y7;
    let t30 = t23 ^ t24;
    let t32 = t31 & t30;
    let t33 = t32 ^ t24;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let t43 = t29 ^ t40;
    let z3 = t43 & y16;
    let tc12 = z3 ^ z5;
    let z12 = t43 & y13;
    let z13 = t40 & y5;
    let z4 = t40 & y1;
    let tc6 = z3 ^ z4;
    let t34 = t23 ^ t33;
    let t37 = t36 ^ t34;
    let t41 = t40 ^ t37;
    let z8 = t41 & y10;
    let z17 = t41 & y8;
    let t44 = t33 ^ t37;
    let z0 = t44 & y15;
    let z9 = t44 & y12;
    let z10 = t37 & y3;
    let z1 = t37 & y6;
    let tc5 = z1 ^ z0;
    let tc11 = tc6 ^ tc5;
    let z11 = t33 & y4;
    let t42 = t29 ^ t33;
    let t45 = t42 ^ t41;
    let z7 = t45 & y17;
    let tc8 = z7 ^ tc6;
    let z16 = t45 & y14;
    let z6 = t42 & y11;
    let tc16 = z6 ^ tc8;
    let z15 = t42 & y9;
    let tc20 = z15 ^ tc16;
    let tc1 = z15 ^ z16;
    let tc2 = z10 ^ tc1;
    let tc21 = tc2 ^ z11;
    let tc3 = z9 ^ tc2;
    let s0 = tc3 ^ tc16;
    let s3 = tc3 ^ tc11;
    let s1 = s3 ^ tc16;
    let tc13 = z13 ^ tc1;
    let z2 = t33 & u7;
    let tc4 = z0 ^ z2;
    let tc7 = z12 ^ tc4;
    let tc9 = z8 ^ tc7;
    let tc10 = tc8 ^ tc9;
    let tc17 = z14 ^ tc10;
    let s5 = tc21 ^ tc17;
    let tc26 = tc17 ^ tc20;
    let s2 = tc26 ^ z17;
    let tc14 = tc4 ^ tc12;
    let tc18 = tc13 ^ tc14;
    let s6 = tc10 ^ tc18;
    let s7 = z12 ^ tc18;
    let s4 = tc14 ^ s3;
    return Planes(vec4(s7, s6, s5, s4), vec4(s3, s2, s1, s0));
}

// Each plane's bits from one row below and `round` columns to the right.
fn next_row(planes: vec4<u32>, round: u32) -> vec4<u32> {
    if round == 0u {
        return rotate_right(planes, 8u);
    }
    let same = (0xffu >> (2u * round)) * 0x01010101u;
    return (rotate_right(planes, 8u + 2u * round) & vec4(same)) | (rotate_right(planes, 2u * round) & vec4(~same));
}

// The same of two rows, and twice as many columns.
fn second_row(planes: vec4<u32>, round: u32) -> vec4<u32> {
    if (round & 1u) == 0u {
        return rotate_right(planes, 16u);
    }
    return (rotate_right(planes, 20u) & vec4(0x0f0f0f0fu)) | (rotate_right(planes, 12u) & vec4(0xf0f0f0f0u));
}

// SubBytes, ShiftRows and MixColumns of a round whose number leaves `round` when divided by 4, and its key.
fn full_round(before: Planes, round: u32, number: u32) -> Planes {
    let state = substitute(before);
    let next_low = next_row(state.low, round);
    let next_high = next_row(state.high, round);
    let low = state.low ^ next_low;
    let high = state.high ^ next_high;
    let carry = high.w;
    let twice_low = vec4(carry, low.x ^ carry, low.y, low.z ^ carry);
    let twice_high = vec4(low.w ^ carry, high.x, high.y, high.z);
    return Planes(
        twice_low ^ next_low ^ second_row(low, round) ^ round_keys[2u * number],
        twice_high ^ next_high ^ second_row(high, round) ^ round_keys[2u * number + 1u],
    );
}

fn bytes_reversed(words: vec4<u32>) -> vec4<u32> {
    let pairs = ((words >> vec4(8u)) & vec4(0x00ff00ffu)) | ((words & vec4(0x00ff00ffu)) << vec4(8u));
    return (pairs >> vec4(16u)) | (pairs << vec4(16u));
}

// The counter block `blocks` after the first, as the columns of a state.
fn counter_block(blocks: u32) -> vec4<u32> {
    let first = parameters.counter;
    let w = first.w + blocks;
    let z = first.z + select(0u, 1u, w < blocks);
    let y = first.y + select(0u, 1u, w < blocks && z == 0u);
    let x = first.x + select(0u, 1u, w < blocks && z == 0u && y == 0u);
    return bytes_reversed(vec4(x, y, z, w));
}

@compute @workgroup_size(128)
fn counter_mode(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= parameters.pairs {
        return;
    }
    let first = counter_block(2u * id.x);
    let second = counter_block(2u * id.x + 1u);
    var state = transpose(Planes(
        vec4(first.x, second.x, first.y, second.y),
        vec4(first.z, second.z, first.w, second.w),
    ));
    state = Planes(state.low ^ round_keys[0], state.high ^ round_keys[1]);
    for (var number = 1u; number < 13u; number += 4u) {
        state = full_round(state, 1u, number);
        state = full_round(state, 2u, number + 1u);
        state = full_round(state, 3u, number + 2u);
        state = full_round(state, 0u, number + 3u);
    }
    state = full_round(state, 1u, 13u);
    state = substitute(state);
    state = transpose(Planes(state.low ^ round_keys[28], state.high ^ round_keys[29]));
    // Fourteen ShiftRows are two: rows 1 and 3 by two columns.
    let one = vec4(state.low.x, state.low.z, state.high.x, state.high.z);
    let two = vec4(state.low.y, state.low.w, state.high.y, state.high.w);
    data[2u * id.x] ^= (one & vec4(0x00ff00ffu)) | (one.zwxy & vec4(0xff00ff00u));
    data[2u * id.x + 1u] ^= (two & vec4(0x00ff00ffu)) | (two.zwxy & vec4(0xff00ff00u));
}

@compute @workgroup_size(128)
fn exclusive_or(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= parameters.pairs {
        return;
    }
    // `key_start` is less than `key_units`, so no sum overflows.
    let place = (parameters.key_start + (2u * id.x) % parameters.key_units) % parameters.key_units;
    let next = select(place + 1u, 0u, place + 1u == parameters.key_units);
    data[2u * id.x] ^= key[place];
    data[2u * id.x + 1u] ^= key[next];
}

@compute @workgroup_size(128)
fn invert(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= parameters.pairs {
        return;
    }
    data[2u * id.x] = ~data[2u * id.x];
    data[2u * id.x + 1u] = ~data[2u * id.x + 1u];
}

// The S-box of each byte of a word.
fn substitute_word(word: u32) -> u32 {
    let state = transpose(substitute(transpose(Planes(vec4(word, 0u, 0u, 0u), vec4(0u)))));
    return state.low.x ^ 0x63636363u;
}

// The key schedule of FIPS 197: `key` is the raw key, `data` receives the round keys as planes, their rows rotated back
// as the state's are. One invocation does it, once for each cell.
@compute @workgroup_size(1)
fn expand_key() {
    var words: array<u32, 60>;
    for (var i = 0u; i < 4u; i++) {
        words[i] = key[0][i];
        words[i + 4u] = key[1][i];
    }
    var constant = 1u;
    for (var i = 8u; i < 60u; i++) {
        var word = words[i - 1u];
        if i % 8u == 0u {
            word = substitute_word((word >> 8u) | (word << 24u)) ^ constant;
            constant <<= 1u;
        } else if i % 8u == 4u {
            word = substitute_word(word);
        }
        words[i] = words[i - 8u] ^ word;
    }
    for (var number = 0u; number < 15u; number++) {
        var columns: array<u32, 4>;
        for (var column = 0u; column < 4u; column++) {
            var word = 0u;
            for (var row = 0u; row < 4u; row++) {
                // 64 keeps the difference positive.
                let from_column = (column + 64u - number * row) % 4u;
                word |= words[4u * number + from_column] & (0xffu << (8u * row));
            }
            columns[column] = word ^ select(0x63636363u, 0u, number == 0u);
        }
        let planes = transpose(Planes(
            vec4(columns[0], columns[0], columns[1], columns[1]),
            vec4(columns[2], columns[2], columns[3], columns[3]),
        ));
        data[2u * number] = planes.low;
        data[2u * number + 1u] = planes.high;
    }
}
