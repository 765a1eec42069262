//! Ciphermeter's worker in Zig: it speaks PROTOCOL.md on standard input and output, and hosts the provider `zig`, the
//! ciphers of Zig's standard library.
//!
//! It promises one answer for each line (of describe: a list), whatever a line contains, and exit code 0 at the end of
//! its input.

const std = @import("std");
const max_line = @import("request.zig").max_line;
const Worker = @import("worker.zig").Worker;

pub fn main(init: std.process.Init) !u8 {
    const arguments = try init.minimal.args.toSlice(init.arena.allocator());
    for (arguments[1..]) |named| if (!std.mem.eql(u8, named, "zig")) {
        std.debug.print("zig worker: no such provider in this program; name zig, or none\n", .{});
        return 2;
    };
    serve(init) catch |err| {
        std.debug.print("zig worker: reading requests or writing answers: {t}\n", .{err});
        return 1;
    };
    return 0;
}

fn serve(init: std.process.Init) !void {
    var in_buffer: [max_line]u8 = undefined; // the limit: a line that does not fit is too long
    var out_buffer: [max_line]u8 = undefined;
    var in = std.Io.File.stdin().readerStreaming(init.io, &in_buffer);
    var out = std.Io.File.stdout().writerStreaming(init.io, &out_buffer);
    var seed: u64 = undefined;
    init.io.random(std.mem.asBytes(&seed));
    var prng: std.Random.DefaultPrng = .init(seed);
    var worker: Worker = .{ .io = init.io, .allocator = init.gpa, .random = prng.random(), .out = &out.interface };
    while (true) {
        const line = in.interface.takeDelimiter('\n') catch |err| switch (err) {
            error.StreamTooLong => {
                _ = in.interface.discardDelimiterInclusive('\n') catch |ended| switch (ended) {
                    error.EndOfStream => 0,
                    error.ReadFailed => |e| return e,
                };
                try worker.fail("a line of more than 65536 bytes; send a shorter one");
                try out.interface.flush();
                continue;
            },
            error.ReadFailed => |e| return e,
        } orelse return;
        if (std.mem.trim(u8, line, " \t\r").len > 0) try worker.answer(line);
        try out.interface.flush();
    }
}

test {
    _ = @import("seed.zig");
    _ = @import("request.zig");
    _ = @import("stack.zig");
    _ = @import("timing.zig");
    _ = @import("worker.zig");
}
