//! `check`: one vector, through the timed loop.

const std = @import("std");
const Allocator = std.mem.Allocator;
const calls = @import("calls.zig");
const cells = @import("cell.zig");
const offers = @import("offers.zig");
const requests = @import("request.zig");

/// Bytes.
const max_input = 16 << 10;

/// The output, in memory of `scratch`.
pub fn output(allocator: Allocator, scratch: Allocator, request: requests.Request) requests.Error![]const u8 {
    const offer = try offers.find(request);
    const algorithm = offer.algorithm;
    const key = try request.bytes(scratch, "key", null);
    const nonce = try request.bytes(scratch, "nonce", "");
    const aad = try request.bytes(scratch, "aad", "");
    const input = try request.bytes(scratch, "input", null);
    const refusal = request.refusal;
    if (input.len > max_input)
        return refusal.because(error.Failed, "an input of {d} bytes; send at most {d}", .{ input.len, max_input });
    if (offer.operation == .key_setup)
        return refusal.because(error.Unsupported, "key-setup has no output to be checked", .{});
    if (key.len != algorithm.key or nonce.len != algorithm.nonce) {
        const why = "a key of {d} bytes and a nonce of {d}; {s} takes {d} and {d} here";
        const sizes = .{ key.len, nonce.len, algorithm.name, algorithm.key, algorithm.nonce };
        return refusal.because(error.Unsupported, why, sizes);
    }
    const opens = offer.operation == .open;
    if (opens and input.len < algorithm.tag) return error.Rejected;
    const message = if (opens) input.len - algorithm.tag else input.len;

    // Text, then tag, as the buffers of cells have them.
    const in = try scratch.alloc(u8, message + algorithm.tag);
    const out = if (offer.form == .in_place) in else try scratch.alloc(u8, in.len);
    @memcpy(in[0..input.len], input);
    if (opens and algorithm.is_tag_first) {
        @memcpy(in[0..message], input[algorithm.tag..]);
        @memcpy(in[message..], input[0..algorithm.tag]);
    }
    var numbered: [64]u8 = @splat(0);
    @memcpy(numbered[0..nonce.len], nonce);
    const object = try algorithm.create(allocator, key);
    defer algorithm.destroy(allocator, object);
    const job: calls.Job = .{
        .objects = &.{object},
        .places = &.{0},
        .message = message,
        .aad = aad,
        .numbered = &numbered,
        .in = in.ptr,
        .out = out.ptr,
        .sealed = in.ptr,
    };
    // The loop writes the number back where it comes from.
    const first = std.mem.readInt(u64, numbered[0..8], .big);
    const kind: calls.Kind = if (opens) .open else .seal;
    algorithm.repeat(kind, &job)(&job, first, 1) catch return error.Rejected;
    const parts = cells.ordered(algorithm, offer.operation, out.ptr, message);
    return std.mem.concat(scratch, u8, &parts);
}
