//! Where the timed calls find the stack. What a caller's program decides by chance must not decide a figure.

const std = @import("std");

/// The distance of two positions, and how many there are: those of PROTOCOL.md's `stack`.
pub const step = 16;
pub const positions = 64;

/// Calls `body` with the stack pointer `position` steps lower than at position 0.
pub fn below(position: usize, context: *anyopaque, body: Body) void {
    frames[position](context, body);
}

pub const Body = *const fn (context: *anyopaque) void;

/// One function for each position, whose frame is so large: Zig has no other way to move the stack.
const frames = make: {
    var made: [positions]*const fn (context: *anyopaque, body: Body) void = undefined;
    for (&made, 0..) |*frame, position| frame.* = Frame((position + 1) * step).call;
    break :make made;
};

fn Frame(comptime size: usize) type {
    return struct {
        noinline fn call(context: *anyopaque, body: Body) void {
            var pad: [size]u8 align(step) = undefined;
            std.mem.doNotOptimizeAway(&pad);
            body(context);
            std.mem.doNotOptimizeAway(&pad); // or the frame would be given back before the call
        }
    };
}

test "each position is one step below the one before" {
    const Seen = struct {
        at: usize = 0,

        noinline fn look(context: *anyopaque) void {
            const seen: *@This() = @ptrCast(@alignCast(context));
            seen.at = @frameAddress();
        }
    };
    var seen: [positions]Seen = @splat(.{});
    for (&seen, 0..) |*one, position| below(position, one, Seen.look);
    for (seen[1..], seen[0 .. positions - 1]) |one, before| try std.testing.expectEqual(before.at - step, one.at);
}
