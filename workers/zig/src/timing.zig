//! Warm-up, samples and single calls.

const std = @import("std");
const calls = @import("calls.zig");
const facts = @import("facts.zig");
const stack = @import("stack.zig");
const Cell = @import("cell.zig").Cell;

/// One timed batch, with its warm-up.
pub const Sample = struct {
    cell: *Cell,
    job: *const calls.Job,
    warmup_ns: u64,
    iterations: u64,

    ns: u64 = 0,
    cpu_ns: ?u64 = null,
    minor_faults: u64 = 0,
    failed: ?calls.Error = null,

    /// Runs it where the cell's layout has the stack.
    pub fn run(sample: *Sample) calls.Error!void {
        stack.below(sample.cell.layout.stack / stack.step, sample, body);
        if (sample.failed) |err| return err;
    }

    fn body(context: *anyopaque) void {
        const sample: *Sample = @ptrCast(@alignCast(context));
        sample.take() catch |err| {
            sample.failed = err;
        };
    }

    fn take(sample: *Sample) calls.Error!void {
        const cell, const job = .{ sample.cell, sample.job };
        try warmUp(cell, job, sample.warmup_ns);
        const loop = cell.algorithm.repeat(cell.kind(), job);
        const first = advance(cell, sample.iterations);
        const faults = facts.minorFaults();
        const cpu = facts.cpuTime();
        const begin = facts.now();
        try loop(job, first, sample.iterations);
        sample.ns = facts.now() - begin;
        const after = facts.cpuTime();
        if (cpu != null and after != null) sample.cpu_ns = after.? - cpu.?;
        sample.minor_faults = facts.minorFaults() - faults;
    }
};

/// Fills `times` with the nanoseconds of single calls.
pub fn latency(cell: *Cell, job: *const calls.Job, warmup_ns: u64, times: []u64) calls.Error!void {
    try warmUp(cell, job, warmup_ns);
    const loop = cell.algorithm.repeat(cell.kind(), job);
    for (times) |*time| {
        const number = advance(cell, 1);
        const begin = facts.now();
        try loop(job, number, 1);
        time.* = facts.now() - begin;
    }
}

/// Takes the next `count` numbers, before the calls, so that none occurs twice even if one fails; the first of them.
fn advance(cell: *Cell, count: u64) u64 {
    defer cell.last += count;
    return cell.last + 1;
}

/// Calls until at least `ns` have passed, in batches, so that the clock is rarely read, and until each key has had its
/// turn.
fn warmUp(cell: *Cell, job: *const calls.Job, ns: u64) calls.Error!void {
    if (ns == 0) return;
    const loop = cell.algorithm.repeat(cell.kind(), job);
    const begin, const before = .{ facts.now(), cell.last };
    var passed: u64 = 0;
    var batch: u64 = 1;
    while (passed < ns) {
        try loop(job, advance(cell, batch), batch);
        const earlier = passed;
        passed = facts.now() - begin;
        batch = nextBatch(batch, passed - earlier, ns -| passed);
    }
    const done = cell.last - before;
    if (cell.keys > 1 and done < cell.keys) try loop(job, advance(cell, cell.keys - done), cell.keys - done);
}

/// The batch after one that took so many ns, with so many left: twice as large, but not far beyond the end, as in all
/// workers.
fn nextBatch(batch: u64, took: u64, left: u64) u64 {
    const most = @as(u128, left) * batch / @max(took, 1) + 1;
    return @intCast(@min(@as(u128, batch) * 2, most));
}

test "batches double until the end is near" {
    try std.testing.expectEqual(2, nextBatch(1, 100, 1_000_000));
    try std.testing.expectEqual(6, nextBatch(8, 800, 500));
    try std.testing.expectEqual(1, nextBatch(8, 800, 0));
    try std.testing.expectEqual(16, nextBatch(8, 0, std.math.maxInt(u53)));
}
