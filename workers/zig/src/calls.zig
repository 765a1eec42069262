//! The timed calls: for each cipher and kind of operation a loop of its own, made by the compiler, in which nothing is
//! looked up and nothing is allocated.

const std = @import("std");
const Allocator = std.mem.Allocator;
const library = @import("library.zig");

pub const Error = error{AuthenticationFailed};

/// What an iteration does. `reopen` first copies the sealed text back to where it is opened.
pub const Kind = enum { key_setup, seal, open, reopen };

/// What the calls of a cell work on. Iteration i takes text i mod `places.len` under object i mod `objects.len`.
pub const Job = struct {
    /// Key objects.
    objects: []const *const anyopaque,
    /// Where each text begins in the three buffers.
    places: []const usize,
    /// Bytes of a plaintext; the tag is behind a text, sealed or not.
    message: usize,
    aad: []const u8,
    /// At least 8 bytes, those of the iteration's number; of `key_setup` the key.
    numbered: [*]u8,
    /// What is worked on, what comes out, and what `reopen` copies to `in`.
    in: [*]u8,
    out: [*]u8,
    sealed: [*]const u8,

    pub fn rotates(job: *const Job) bool {
        return job.places.len > 1 or job.objects.len > 1;
    }

    /// The output of an iteration.
    pub fn output(job: *const Job, iteration: u64) []u8 {
        return job.out[job.places[iteration % job.places.len]..][0..job.message];
    }
};

/// Makes `count` iterations from `first` on.
pub const Repeat = *const fn (job: *const Job, first: u64, count: u64) Error!void;

/// A cipher, as values.
pub const Algorithm = struct {
    name: []const u8,
    path: []const u8,
    is_aead: bool,
    setup_inside: bool,
    key: usize,
    nonce: usize,
    tag: usize,
    is_tag_first: bool,
    /// What is behind the iteration's number is zero, not the stream's.
    nonce_is_counter: bool,
    create: *const fn (Allocator, key: []const u8) Allocator.Error!*const anyopaque,
    destroy: *const fn (Allocator, *const anyopaque) void,
    once: std.EnumArray(Kind, Repeat),
    round: std.EnumArray(Kind, Repeat),

    /// The loop for a job: the one that goes round is not for a single text and key, which it would look up.
    pub fn repeat(algorithm: *const Algorithm, kind: Kind, job: *const Job) Repeat {
        return if (job.rotates()) algorithm.round.get(kind) else algorithm.once.get(kind);
    }
};

pub const algorithms: [library.ciphers.len]Algorithm = rows: {
    var rows: [library.ciphers.len]Algorithm = undefined;
    for (library.ciphers, &rows) |Cipher, *row| row.* = rowOf(Cipher);
    break :rows rows;
};

fn rowOf(comptime Cipher: type) Algorithm {
    const objects = Objects(Cipher);
    return .{
        .name = Cipher.name,
        .path = Cipher.path,
        .is_aead = Cipher.is_aead,
        .setup_inside = Cipher.setup_inside,
        .key = Cipher.key_length,
        .nonce = Cipher.nonce_length,
        .tag = Cipher.tag_length,
        .is_tag_first = Cipher.is_tag_first,
        .nonce_is_counter = Cipher.nonce_is_counter,
        .create = objects.create,
        .destroy = objects.destroy,
        .once = loops(Cipher, false),
        .round = loops(Cipher, true),
    };
}

fn Objects(comptime Cipher: type) type {
    return struct {
        fn create(allocator: Allocator, key: []const u8) Allocator.Error!*const anyopaque {
            const object = try allocator.create(Cipher.Object);
            object.* = Cipher.setUp(key[0..Cipher.key_length]);
            return object;
        }

        fn destroy(allocator: Allocator, object: *const anyopaque) void {
            const typed: *Cipher.Object = @ptrCast(@alignCast(@constCast(object)));
            std.crypto.secureZero(u8, std.mem.asBytes(typed));
            allocator.destroy(typed);
        }
    };
}

fn loops(comptime Cipher: type, comptime rotates: bool) std.EnumArray(Kind, Repeat) {
    return .init(.{
        .key_setup = Loop(Cipher, .key_setup, false).repeat,
        .seal = Loop(Cipher, .seal, rotates).repeat,
        .open = Loop(Cipher, .open, rotates).repeat,
        .reopen = Loop(Cipher, .reopen, rotates).repeat,
    });
}

fn Loop(comptime Cipher: type, comptime kind: Kind, comptime rotates: bool) type {
    return struct {
        noinline fn repeat(job: *const Job, first: u64, count: u64) Error!void {
            const n, const t = .{ job.message, Cipher.tag_length };
            const nonce = job.numbered[0..Cipher.nonce_length];
            const end = first +% count; // a vector's nonce may be the last number
            var i = first;
            while (i != end) : (i +%= 1) {
                if (kind == .key_setup) {
                    number(job, i);
                    std.mem.doNotOptimizeAway(&Cipher.setUp(job.numbered[0..Cipher.key_length]));
                    continue;
                }
                const at = if (rotates) job.places[i % job.places.len] else 0;
                const object: *const Cipher.Object =
                    @ptrCast(@alignCast(job.objects[if (rotates) i % job.objects.len else 0]));
                const in, const out = .{ job.in + at, job.out + at };
                switch (kind) {
                    .seal => {
                        number(job, i);
                        Cipher.seal(object, out[0..n], out[n..][0..t], in[0..n], job.aad, nonce);
                    },
                    .reopen => {
                        @memcpy(in[0 .. n + t], (job.sealed + at)[0 .. n + t]);
                        try Cipher.open(object, out[0..n], in[n..][0..t], in[0..n], job.aad, nonce);
                    },
                    .open => try Cipher.open(object, out[0..n], in[n..][0..t], in[0..n], job.aad, nonce),
                    .key_setup => unreachable,
                }
            }
        }
    };
}

inline fn number(job: *const Job, i: u64) void {
    std.mem.writeInt(u64, job.numbered[0..8], i, .big);
}

const Empty = struct {
    const Object = void;
    const key_length = 0;
    const nonce_length = 0;
    const tag_length = 0;

    inline fn seal(_: *const void, out: []u8, _: *[0]u8, _: []const u8, _: []const u8, _: *const [0]u8) void {
        std.mem.doNotOptimizeAway(out.ptr);
    }
};

/// The timed loop around nothing, for `clock`.
pub const repeatEmpty: Repeat = Loop(Empty, .seal, false).repeat;
