//! The clock, and what the system says of memory: each fact known or absent, never guessed.

const std = @import("std");
const builtin = @import("builtin");
const Io = std.Io;
const posix = std.posix;
const calls = @import("calls.zig");

/// The monotonic clock that times samples, in nanoseconds.
pub fn now() u64 {
    return read(.MONOTONIC) orelse @panic("the system has no monotonic clock");
}

/// The CPU time of this process, which has one thread.
pub fn cpuTime() ?u64 {
    return read(.PROCESS_CPUTIME_ID);
}

fn read(clock: posix.clockid_t) ?u64 {
    var at: posix.timespec = undefined;
    if (posix.errno(posix.system.clock_gettime(clock, &at)) != .SUCCESS) return null;
    return @as(u64, @intCast(at.sec)) * std.time.ns_per_s + @as(u64, @intCast(at.nsec));
}

/// Pages that the kernel gave this process so far without reading a disk.
pub fn minorFaults() u64 {
    return @intCast(posix.getrusage(posix.rusage.SELF).minflt);
}

/// The smallest step other than 0 between two readings, out of 10,000 steps or a tenth of a second.
pub fn clockStep() u64 {
    var step: u64 = std.math.maxInt(u64);
    const begin = now();
    var last = begin;
    var steps: usize = 0;
    while (steps < 10_000 and last - begin < std.time.ns_per_s / 10) {
        const at = now();
        if (at > last) {
            step = @min(step, at - last);
            steps += 1;
        }
        last = at;
    }
    return step;
}

/// The cost of one reading.
pub fn clockCall() u64 {
    const count = 2000;
    return quietest(count, struct {
        fn batch() void {
            for (0..count) |_| std.mem.doNotOptimizeAway(now());
        }
    }.batch);
}

/// The cost of an iteration of the timed loop around an empty call.
pub fn loopCost() u64 {
    const count = 100_000;
    return quietest(count, struct {
        fn batch() void {
            var bytes: [8]u8 = undefined;
            const job: calls.Job = .{
                .objects = &.{@ptrCast(&bytes)},
                .places = &.{0},
                .message = 0,
                .aad = "",
                .numbered = &bytes,
                .in = &bytes,
                .out = &bytes,
                .sealed = &bytes,
            };
            calls.repeatEmpty(&job, 1, count) catch unreachable; // it seals nothing
        }
    }.batch);
}

/// The lowest of ten times of a batch, for each of `count`: other work on the core only adds to it.
fn quietest(count: u64, batch: *const fn () void) u64 {
    var best: u64 = std.math.maxInt(u64);
    for (0..10) |_| {
        const begin = now();
        batch();
        best = @min(best, now() - begin);
    }
    return (best + count / 2) / count;
}

/// What may be allocated without swapping, in bytes.
pub fn freeMemory(io: Io) ?u64 {
    return kernelField(io, "/proc/meminfo", "MemAvailable:");
}

pub fn resident(io: Io) ?u64 {
    return kernelField(io, "/proc/self/status", "VmRSS:");
}

pub fn peakResident(io: Io) ?u64 {
    return kernelField(io, "/proc/self/status", "VmHWM:");
}

/// The peak begins anew; whether the system did so. Format: proc_pid_clear_refs(5).
pub fn resetPeak(io: Io) bool {
    const file = Io.Dir.cwd().openFile(io, "/proc/self/clear_refs", .{ .mode = .write_only }) catch return false;
    defer file.close(io);
    file.writeStreamingAll(io, "5") catch return false;
    return true;
}

/// A field that Linux gives in kB (1024 bytes), in bytes. Format: proc_pid_status(5), proc_meminfo(5).
fn kernelField(io: Io, path: []const u8, name: []const u8) ?u64 {
    if (builtin.os.tag != .linux) return null;
    var buffer: [8192]u8 = undefined;
    const text = Io.Dir.cwd().readFile(io, path, &buffer) catch return null;
    var lines = std.mem.tokenizeScalar(u8, text, '\n');
    while (lines.next()) |line| {
        var words = std.mem.tokenizeAny(u8, line, " \t");
        if (!std.mem.eql(u8, words.next() orelse continue, name)) continue;
        const number = std.fmt.parseInt(u50, words.next() orelse return null, 10) catch return null;
        return @as(u64, number) * 1024;
    }
    return null;
}
