//! The bytes that a seed stands for, which all workers derive alike (PROTOCOL.md, "Seed").

const std = @import("std");
const Sha256 = std.crypto.hash.sha2.Sha256;

/// A prime, so that no block size divides the repetition.
const period = 4093;

/// The part of a stream that repeats: computed once for a cell, laid out before each sample.
pub const Pattern = struct {
    bytes: [period]u8,
    len: usize,

    pub fn init(label: []const u8, seed: u64, length: usize) Pattern {
        var pattern: Pattern = .{ .bytes = undefined, .len = @min(length, period) };
        var i: usize = 0;
        while (i * Sha256.digest_length < pattern.len) : (i += 1) {
            var text: [96]u8 = undefined; // the longest label and two numbers of 64 bits
            const hashed = std.fmt.bufPrint(&text, "ciphermeter {s} {d} {d}", .{ label, seed, i }) catch unreachable;
            var hash: [Sha256.digest_length]u8 = undefined;
            Sha256.hash(hashed, &hash, .{});
            const rest = pattern.bytes[i * hash.len .. pattern.len];
            const taken = @min(hash.len, rest.len);
            @memcpy(rest[0..taken], hash[0..taken]);
        }
        return pattern;
    }

    /// Repeats it over `out`, which has the length that it was made for.
    pub fn fill(pattern: *const Pattern, out: []u8) void {
        @memcpy(out[0..pattern.len], pattern.bytes[0..pattern.len]);
        // Every copy but the last ends at a multiple of the period, so doubling keeps it.
        var done = pattern.len;
        while (done < out.len) {
            const taken = @min(done, out.len - done);
            @memcpy(out[done..][0..taken], out[0..taken]);
            done += taken;
        }
    }
};

/// The key of one of several objects: number 0 has the label of a single one.
pub fn key(out: []u8, seed: u64, number: u64) void {
    var text: [32]u8 = undefined;
    const label = if (number == 0) "key" else std.fmt.bufPrint(&text, "key {d}", .{number}) catch unreachable;
    Pattern.init(label, seed, out.len).fill(out);
}

test "a stream repeats after its period, and begins with the hash of its first text" {
    var out: [3 * period + 5]u8 = undefined;
    Pattern.init("message", 42, out.len).fill(&out);
    var hash: [32]u8 = undefined;
    Sha256.hash("ciphermeter message 42 0", &hash, .{});
    try std.testing.expectEqualSlices(u8, &hash, out[0..32]);
    for (period..out.len) |i| try std.testing.expectEqual(out[i - period], out[i]);
}

test "only the numbers of further keys are part of their labels" {
    var first: [32]u8 = undefined;
    var hash: [32]u8 = undefined;
    key(&first, 7, 0);
    Sha256.hash("ciphermeter key 7 0", &hash, .{});
    try std.testing.expectEqual(hash, first);
    key(&first, 7, 12);
    Sha256.hash("ciphermeter key 12 7 0", &hash, .{});
    try std.testing.expectEqual(hash, first);
}
