//! Requests: one flat JSON object a line, read strictly. A refusal has a sentence that says what failed, then what to
//! do.

const std = @import("std");
const Allocator = std.mem.Allocator;

/// The longest line in bytes, its newline included, and the most keys.
pub const max_line = 65536;
const max_keys = 64;
/// The largest integer that every reader of JSON has exactly.
pub const max_number = (1 << 53) - 1;

pub const Error = error{ Failed, Unsupported, Rejected, OutOfMemory };

/// Why a request was refused.
pub const Refusal = struct {
    buffer: [512]u8 = undefined,
    why: []const u8 = "",

    /// Keeps the sentence and returns the error; texts from outside are not in it.
    pub fn because(refusal: *Refusal, err: Error, comptime format: []const u8, args: anytype) Error {
        refusal.why = std.fmt.bufPrint(&refusal.buffer, format, args) catch "the reason is too long to be said";
        return err;
    }
};

pub const Request = struct {
    values: std.json.ObjectMap,
    refusal: *Refusal,

    /// Of a repeated key the last value counts; null is absent.
    pub fn parse(arena: Allocator, line: []const u8, refusal: *Refusal) Error!Request {
        const options: std.json.ParseOptions = .{ .duplicate_field_behavior = .use_last };
        const value = std.json.parseFromSliceLeaky(std.json.Value, arena, line, options) catch |err| switch (err) {
            error.OutOfMemory => |e| return e,
            else => return refusal.because(error.Failed, "the line is not JSON in UTF-8; send one flat object", .{}),
        };
        if (value != .object) return refusal.because(error.Failed, "the line is no object; send one", .{});
        if (value.object.count() > max_keys)
            return refusal.because(error.Failed, "more than {d} keys; send fewer", .{max_keys});
        for (value.object.values()) |one| {
            const fits = switch (one) {
                .null, .string => true,
                .array => |array| for (array.items) |item| {
                    if (!isNumber(item)) break false;
                } else true,
                else => isNumber(one),
            };
            if (!fits) return refusal.because(error.Failed, "a value is neither string, integer from 0 to 2^53-1, " ++
                "null nor array of such integers; send one of these", .{});
        }
        return .{ .values = value.object, .refusal = refusal };
    }

    fn isNumber(value: std.json.Value) bool {
        return value == .integer and value.integer >= 0 and value.integer <= max_number;
    }

    fn get(request: Request, key: []const u8) ?std.json.Value {
        const value = request.values.get(key) orelse return null;
        return if (value == .null) null else value;
    }

    pub fn has(request: Request, key: []const u8) bool {
        return request.get(key) != null;
    }

    /// An integer from `low` to `high`; `absent` where the key is missing, if it may be.
    pub fn number(request: Request, key: []const u8, absent: ?u64, low: u64, high: u64) Error!u64 {
        const value = request.get(key) orelse
            return absent orelse request.refusal.because(error.Failed, "the key {s} is missing; send it", .{key});
        if (value == .integer and value.integer >= low and value.integer <= high) return @intCast(value.integer);
        const why = "the key {s} is not an integer from {d} to {d}; send one";
        return request.refusal.because(error.Failed, why, .{ key, low, high });
    }

    /// A number that is a multiple of `step`.
    pub fn multiple(request: Request, key: []const u8, absent: ?u64, high: u64, step: u64) Error!usize {
        const value = try request.number(key, absent, 0, high);
        if (value % step == 0) return value;
        return request.refusal.because(error.Failed, "the key {s} is not a multiple of {d}; send one", .{ key, step });
    }

    pub fn text(request: Request, key: []const u8, absent: ?[]const u8) Error![]const u8 {
        const value = request.get(key) orelse
            return absent orelse request.refusal.because(error.Failed, "the key {s} is missing; send it", .{key});
        if (value == .string) return value.string;
        return request.refusal.because(error.Failed, "the key {s} is not a string; send one", .{key});
    }

    /// Bytes in lower-case hex.
    pub fn bytes(request: Request, arena: Allocator, key: []const u8, absent: ?[]const u8) Error![]u8 {
        const hex = try request.text(key, absent);
        const out = try arena.alloc(u8, hex.len / 2);
        const is_lower = std.mem.findAny(u8, hex, "ABCDEF") == null;
        if (is_lower and hex.len % 2 == 0) if (std.fmt.hexToBytes(out, hex)) |decoded| return decoded else |_| {};
        const why = "the key {s} is not lower-case hex; send two digits a byte";
        return request.refusal.because(error.Failed, why, .{key});
    }
};

test "what is no flat object of strings and integers is refused" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    var refusal: Refusal = .{};
    const wrong = [_][]const u8{
        "",                             "{",           "[]",               "1",               "{\"a\":true}",
        "{\"a\":1.0}",                  "{\"a\":-1}",  "{\"a\":{}}",       "{\"a\":[\"b\"]}", "{\"a\":[[1]]}",
        "{\"a\":9007199254740992}",     "{\"a\":1e3}", "{\"a\":\"\xff\"}", "{\"a\":1}{}",     "{\"a\":-0}",
        "{\"a\":99999999999999999999}",
    };
    for (wrong) |line| {
        try std.testing.expectError(error.Failed, Request.parse(arena.allocator(), line, &refusal));
        try std.testing.expect(refusal.why.len > 0);
    }
}

test "a value has to be of its key's kind and range" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    var refusal: Refusal = .{};
    const line =
        "{\"n\":7,\"s\":\"00ff\",\"x\":null,\"twice\":1,\"twice\":9007199254740991,\"hex\":\"AB\",\"odd\":\"a\"}";
    const r = try Request.parse(arena.allocator(), line, &refusal);
    try std.testing.expectEqual(7, try r.number("n", null, 0, 7));
    try std.testing.expectEqual(max_number, try r.number("twice", null, 0, max_number));
    try std.testing.expectEqual(3, try r.number("x", 3, 0, 9));
    try std.testing.expectEqualSlices(u8, &.{ 0, 255 }, try r.bytes(arena.allocator(), "s", null));
    try std.testing.expect(r.has("n") and !r.has("x") and !r.has("y"));
    try std.testing.expectError(error.Failed, r.number("n", null, 0, 6));
    try std.testing.expectError(error.Failed, r.number("s", null, 0, 6));
    try std.testing.expectError(error.Failed, r.number("x", null, 0, 6));
    try std.testing.expectError(error.Failed, r.multiple("n", null, 7, 2));
    try std.testing.expectError(error.Failed, r.text("n", null));
    for ([_][]const u8{ "hex", "odd" }) |key|
        try std.testing.expectError(error.Failed, r.bytes(arena.allocator(), key, null));
}
