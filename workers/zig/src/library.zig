//! What is measured: the ciphers of Zig's standard library, and the code path that was compiled for each.
//!
//! The library decides by the features of the CPU that a program is compiled for (`builtin.cpu`), never while it runs.
//! The conditions here are those of its sources.

const std = @import("std");
const builtin = @import("builtin");
const aead = std.crypto.aead;
const aes = std.crypto.core.aes;

/// Each is a type with its row of PROTOCOL.md's table, its path, and what is timed.
pub const ciphers = selected(true);
/// Why others are not offered here, or in this version.
pub const reasons = selected(false);

const all = .{
    Aead("aes-128-gcm", aead.aes_gcm.Aes128Gcm, gcm_path),
    Aead("aes-256-gcm", aead.aes_gcm.Aes256Gcm, gcm_path),
    Aead("aes-256-gcm-siv", aead.aes_gcm_siv.Aes256GcmSiv, gcm_path),
    Aead("aes-256-siv", aead.aes_siv.Aes256Siv, aes_path),
    Aead("aes-256-ocb", aead.aes_ocb.Aes256Ocb, aes_path),
    Aead("aegis-128l", aead.aegis.Aegis128L, aegisPath(1)),
    Aead("aegis-128x2", aead.aegis.Aegis128X2, aegisPath(2)),
    Aead("aegis-128x4", aead.aegis.Aegis128X4, aegisPath(4)),
    Aead("aegis-256", aead.aegis.Aegis256, aegisPath(1)),
    Aead("aegis-256x2", aead.aegis.Aegis256X2, aegisPath(2)),
    Aead("aegis-256x4", aead.aegis.Aegis256X4, aegisPath(4)),
    Aead("aegis-128l-32", aead.aegis.Aegis128L_256, aegisPath(1)),
    Aead("aegis-256-32", aead.aegis.Aegis256_256, aegisPath(1)),
    Aead("chacha20-poly1305", aead.chacha_poly.ChaCha20Poly1305, chacha_path),
    Aead("xchacha20-poly1305", aead.chacha_poly.XChaCha20Poly1305, chacha_path),
    Aead("ascon-aead128", aead.ascon.AsconAead128, "soft"),
    Bare("aes-256-ctr", Aes256Ctr),
    Bare("chacha20", ChaCha20),
};

/// Those that are fit to be offered, or the reasons why the others are not.
fn selected(comptime fit: bool) if (fit) []const type else []const []const u8 {
    comptime {
        var types: []const type = &.{};
        var whys: []const []const u8 = &.{};
        for (all) |Cipher| {
            if (unfit(Cipher)) |why| whys = whys ++ .{Cipher.name ++ ": " ++ why} else types = types ++ .{Cipher};
        }
        return if (fit) types else whys;
    }
}

/// What is wrong with a cipher in the library that compiles this.
fn unfit(comptime Cipher: type) ?[]const u8 {
    if (std.mem.eql(u8, Cipher.name, "ascon-aead128") and !ascon_pads)
        return "the library leaves out the padding of an aad of whole blocks, which NIST SP 800-232 has";
    if (std.mem.startsWith(u8, Cipher.path, "vaes") and !has(.vaes))
        return "the library uses VAES on each CPU with AVX-512, and this one lacks it";
    return null;
}

/// Whether Ascon-AEAD128 of an aad of 16 bytes has the tag that RustCrypto and Bouncy Castle give it.
const ascon_pads = pads: {
    @setEvalBranchQuota(100_000);
    const known = "\x3c\x5a\x9e\x2e\x7c\x88\x09\x28\xba\x9a\xac\x6c\x35\xf6\xab\x30";
    const aad: [16]u8 = @splat(0x22);
    var tag: [16]u8 = undefined;
    aead.ascon.AsconAead128.encrypt(&.{}, &tag, "", &aad, @splat(0x11), @splat(0));
    break :pads std.mem.eql(u8, &tag, known);
};

/// An AEAD as the library has it: functions that take the raw key in each call, so nothing can be set up before.
fn Aead(comptime algorithm: []const u8, comptime Library: type, comptime code_path: []const u8) type {
    return struct {
        pub const name = algorithm;
        pub const path = code_path;
        pub const is_aead = true;
        pub const setup_inside = true;
        pub const key_length = Library.key_length;
        pub const tag_length = Library.tag_length;
        pub const nonce_length = if (is_siv) 0 else Library.nonce_length;
        pub const is_tag_first = is_siv;
        pub const nonce_is_counter = false;
        pub const Object = [key_length]u8;
        /// The only one whose nonce is optional; the table's row has none.
        const is_siv = !@hasDecl(Library, "nonce_length");

        pub fn setUp(key: *const [key_length]u8) Object {
            return key.*;
        }

        pub inline fn seal(
            key: *const Object,
            out: []u8,
            tag: *[tag_length]u8,
            in: []const u8,
            aad: []const u8,
            nonce: *const [nonce_length]u8,
        ) void {
            Library.encrypt(out, tag, in, aad, if (is_siv) null else nonce.*, key.*);
        }

        pub inline fn open(
            key: *const Object,
            out: []u8,
            tag: *const [tag_length]u8,
            in: []const u8,
            aad: []const u8,
            nonce: *const [nonce_length]u8,
        ) !void {
            try Library.decrypt(out, in, tag.*, aad, if (is_siv) null else nonce.*, key.*);
        }
    };
}

/// A cipher without a tag, which decrypts by what encrypts.
fn Bare(comptime algorithm: []const u8, comptime Library: type) type {
    return struct {
        pub const name = algorithm;
        pub const path = Library.path;
        pub const is_aead = false;
        pub const setup_inside = Library.setup_inside;
        pub const key_length = 32;
        pub const tag_length = 0;
        pub const nonce_length = Library.nonce_length;
        pub const is_tag_first = false;
        pub const nonce_is_counter = Library.nonce_is_counter;
        pub const Object = Library.Object;
        pub const setUp = Library.setUp;

        pub inline fn seal(
            object: *const Object,
            out: []u8,
            _: *[0]u8,
            in: []const u8,
            _: []const u8,
            nonce: *const [nonce_length]u8,
        ) void {
            Library.apply(object, out, in, nonce);
        }

        pub inline fn open(
            object: *const Object,
            out: []u8,
            _: *const [0]u8,
            in: []const u8,
            _: []const u8,
            nonce: *const [nonce_length]u8,
        ) error{AuthenticationFailed}!void {
            Library.apply(object, out, in, nonce);
        }
    };
}

const Aes256Ctr = struct {
    const path = aes_path;
    const setup_inside = false;
    const nonce_length = 16;
    /// An initial counter block.
    const nonce_is_counter = true;
    const Object = aes.AesEncryptCtx(aes.Aes256);

    fn setUp(key: *const [32]u8) Object {
        return aes.Aes256.initEnc(key.*);
    }

    inline fn apply(object: *const Object, out: []u8, in: []const u8, nonce: *const [nonce_length]u8) void {
        std.crypto.core.modes.ctr(Object, object.*, out, in, nonce.*, .big);
    }
};

const ChaCha20 = struct {
    const path = chacha_path;
    const setup_inside = true;
    const nonce_length = 12;
    const nonce_is_counter = false;
    const Object = [32]u8;

    fn setUp(key: *const Object) Object {
        return key.*;
    }

    inline fn apply(key: *const Object, out: []u8, in: []const u8, nonce: *const [nonce_length]u8) void {
        std.crypto.stream.chacha.ChaCha20IETF.xor(out, in, 0, key.*, nonce.*);
    }
};

fn has(comptime feature: std.Target.x86.Feature) bool {
    return builtin.cpu.has(.x86, feature);
}

/// crypto/aes.zig: with AVX, each instruction works on one block of 16 bytes.
const aes_path = if (!aes.has_hardware_support)
    "soft"
else if (builtin.cpu.arch == .aarch64)
    "armv8-aes"
else
    "aesni-avx";

/// crypto/ghash_polyval.zig, which hashes for GCM and for GCM-SIV: by carry-less multiplication where there is one.
const gcm_path = if (builtin.cpu.arch == .x86_64 and aes.has_hardware_support and !has(.pclmul))
    aes_path ++ "+soft"
else
    aes_path;

/// crypto/aes/aesni.zig, `BlockVec`: how many of a state's blocks an instruction works on. No other cipher has wider
/// vectors than of one block.
fn aegisPath(comptime blocks: comptime_int) []const u8 {
    if (builtin.cpu.arch != .x86_64 or !aes.has_hardware_support) return aes_path;
    return switch (aes.BlockVec(blocks).native_vector_size) {
        4 => "vaes-avx512",
        2 => "vaes-avx2",
        else => aes_path,
    };
}

/// crypto/chacha20.zig: vectors of four blocks, two or one. Poly1305 is in plain Zig everywhere.
const chacha_path = switch (builtin.cpu.arch) {
    .x86_64 => if (has(.avx512f)) "avx512" else if (has(.avx2)) "avx2" else "sse2",
    .aarch64 => if (builtin.cpu.has(.aarch64, .neon)) "neon" else "soft",
    else => "soft",
};
