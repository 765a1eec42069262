//! The worker: requests and answers. Its state is the prepared cells, the arena, and the sample whose output is in it.

const std = @import("std");
const Allocator = std.mem.Allocator;
const Sha256 = std.crypto.hash.sha2.Sha256;
const Arena = @import("arena.zig").Arena;
const page = @import("arena.zig").page;
const calls = @import("calls.zig");
const check = @import("check.zig");
const facts = @import("facts.zig");
const offers = @import("offers.zig");
const stack = @import("stack.zig");
const timing = @import("timing.zig");
const requests = @import("request.zig");
const Cell = @import("cell.zig").Cell;
const Error = requests.Error;
const Request = requests.Request;

const max_cells = 1 << 16;
const max_message = 1 << 30;
const max_aad = 1 << 20;
/// Iterations of a digest.
const max_anew = 1 << 24;

/// The latest sample's output in the buffers.
const Left = struct { cell: *Cell, first: u64, last: u64, job: calls.Job };

pub const Worker = struct {
    io: std.Io,
    allocator: Allocator,
    random: std.Random,
    out: *std.Io.Writer,
    refusal: requests.Refusal = .{},
    prepared: std.AutoHashMapUnmanaged(u64, *Cell) = .empty,
    arena: Arena = .{},
    left: ?Left = null,
    is_peak_lost: bool = false,

    /// Answers one line; fails only if the answer can't be written.
    pub fn answer(worker: *Worker, line: []const u8) std.Io.Writer.Error!void {
        var scratch: std.heap.ArenaAllocator = .init(worker.allocator);
        defer scratch.deinit();
        worker.handle(scratch.allocator(), line) catch |err| switch (err) {
            error.WriteFailed => |e| return e,
            error.Rejected => try worker.reply(.{ .is = "rejected" }),
            error.Unsupported => try worker.reply(.{ .is = "unsupported", .why = worker.refusal.why }),
            error.Failed => try worker.reply(.{ .is = "error", .why = worker.refusal.why }),
            error.OutOfMemory => try worker.fail("there is no memory left; release cells, or use smaller messages"),
        };
    }

    pub fn fail(worker: *Worker, why: []const u8) std.Io.Writer.Error!void {
        try worker.reply(.{ .is = "error", .why = why });
    }

    /// Writes the fields of a struct as one line.
    fn reply(worker: *Worker, fields: anytype) std.Io.Writer.Error!void {
        try std.json.Stringify.value(fields, .{}, worker.out);
        try worker.out.writeByte('\n');
    }

    fn refuse(worker: *Worker, err: Error, comptime format: []const u8, args: anytype) Error {
        return worker.refusal.because(err, format, args);
    }

    fn handle(worker: *Worker, scratch: Allocator, line: []const u8) (Error || std.Io.Writer.Error)!void {
        const request: Request = try .parse(scratch, line, &worker.refusal);
        const Do = enum { describe, check, prepare, sample, latency, digest, clock, memory, release };
        const do = std.meta.stringToEnum(Do, try request.text("do", null)) orelse
            return worker.refuse(error.Failed, "unknown request; send describe, check, prepare, sample, latency, " ++
                "digest, clock, memory or release", .{});
        switch (do) {
            .describe => try worker.describe(),
            .check => {
                const output = try check.output(worker.allocator, scratch, request);
                try worker.reply(.{ .is = "output", .output = try std.fmt.allocPrint(scratch, "{x}", .{output}) });
            },
            .prepare => try worker.prepare(request),
            .sample => try worker.sample(request),
            .latency => try worker.latency(scratch, request),
            .digest => try worker.digest(request),
            .clock => try worker.reply(.{
                .is = "clock",
                .step_ns = facts.clockStep(),
                .call_ns = facts.clockCall(),
                .loop_ns = facts.loopCost(),
            }),
            .memory => try worker.memory(request),
            .release => try worker.release(request),
        }
    }

    fn describe(worker: *Worker) std.Io.Writer.Error!void {
        try worker.reply(offers.head);
        for (&calls.algorithms) |*algorithm| try worker.reply(offers.line(algorithm));
        for (offers.reasons) |why| try worker.reply(offers.absent(why));
        try worker.reply(.{ .is = "end" });
    }

    fn prepare(worker: *Worker, request: Request) (Error || std.Io.Writer.Error)!void {
        const offer = try offers.find(request);
        const id = try request.number("cell", null, 0, std.math.maxInt(u32));
        const offset = try request.multiple("offset", 0, page - 1, 64);
        const threads = try request.number("threads", 1, 1, requests.max_number);
        const wanted: Cell = .{
            .algorithm = offer.algorithm,
            .operation = offer.operation,
            .form = offer.form,
            .message = try request.number("message", null, 0, max_message),
            .aad = try request.number("aad", 0, 0, max_aad),
            .seed = try request.number("seed", null, 0, requests.max_number),
            .layout = .{ .offset = offset, .nonce = offset },
            .texts = try request.number("texts", 1, 1, 1 << 20),
            .keys = try request.number("keys", 1, 1, 1 << 16),
            .instances = try request.number("instances", 1, 1, 8),
        };
        if (worker.prepared.contains(id) or worker.prepared.count() >= max_cells)
            return worker.refuse(error.Failed, "cell {d} is prepared already, or too many are; release some", .{id});
        if (threads > 1)
            return worker.refuse(error.Unsupported, "{d} threads; this worker measures one", .{threads});
        if (wanted.rotates() and wanted.operation == .key_setup)
            return worker.refuse(error.Unsupported, "key-setup goes round no texts or keys", .{});
        if (wanted.operation == .open and wanted.texts % wanted.keys != 0) {
            const why = "{d} texts to open under {d} keys; each key needs as many as any other";
            return worker.refuse(error.Unsupported, why, .{ wanted.texts, wanted.keys });
        }
        // The buffers again for a digest that is made anew, and the keys with what lies between them.
        const need = 2 * wanted.size() + wanted.texts * @sizeOf(usize) + (wanted.keys << 10);
        if (facts.freeMemory(worker.io)) |free| if (need > free / 2) {
            const why = "this cell needs {d} bytes, more than half of the free memory of {d} bytes";
            return worker.refuse(error.Unsupported, why, .{ need, free });
        };
        const cell = try worker.allocator.create(Cell);
        errdefer worker.allocator.destroy(cell);
        cell.* = wanted;
        errdefer cell.deinit(worker.allocator);
        try cell.setUp(worker.allocator, worker.random);
        try worker.prepared.put(worker.allocator, id, cell);
        try worker.reply(.{ .is = "ready", .cell = id });
    }

    fn findCell(worker: *Worker, request: Request) Error!struct { u64, *Cell } {
        const id = try request.number("cell", null, 0, std.math.maxInt(u32));
        const cell = worker.prepared.get(id) orelse
            return worker.refuse(error.Failed, "cell {d} is not prepared; send prepare first", .{id});
        return .{ id, cell };
    }

    /// Sets up the buffers in the arena, whose former content is lost.
    fn arm(worker: *Worker, cell: *Cell) Error!calls.Job {
        worker.left = null;
        return cell.arm(try worker.arena.atLeast(cell.size()));
    }

    fn sample(worker: *Worker, request: Request) (Error || std.Io.Writer.Error)!void {
        const id, const cell = try worker.findCell(request);
        const warmup_ns = try request.number("warmup_ns", 0, 0, requests.max_number);
        const iterations = try request.number("iterations", null, 1, std.math.maxInt(u32));
        if (request.has("stack")) cell.layout = .{
            .stack = try request.multiple("stack", null, stack.positions * stack.step - 1, stack.step),
            .offset = try request.number("offset", null, 0, page - 1),
            .nonce = try request.multiple("nonce", null, page - 1, 16),
            .instance = try request.number("instance", null, 0, 7),
        };
        const job = try worker.arm(cell);
        const first = cell.last + 1;
        var one: timing.Sample = .{ .cell = cell, .job = &job, .warmup_ns = warmup_ns, .iterations = iterations };
        one.run() catch |err| return worker.failed(id, err);
        worker.left = .{ .cell = cell, .first = first, .last = cell.last, .job = job };
        try worker.reply(.{
            .is = "sample",
            .cell = id,
            .iterations = iterations,
            .ns = one.ns,
            .cpu_ns = one.cpu_ns,
            .first = first,
            .last = cell.last,
            .minor_faults = one.minor_faults,
        });
    }

    fn failed(worker: *Worker, id: u64, err: calls.Error) Error {
        return worker.refuse(error.Failed, "cell {d} failed: {t}; release it and leave this offer out", .{ id, err });
    }

    fn latency(worker: *Worker, scratch: Allocator, request: Request) (Error || std.Io.Writer.Error)!void {
        const id, const cell = try worker.findCell(request);
        const times = try scratch.alloc(u64, try request.number("count", null, 1, 4000));
        const warmup_ns = try request.number("warmup_ns", 0, 0, requests.max_number);
        const job = try worker.arm(cell);
        timing.latency(cell, &job, warmup_ns, times) catch |err| return worker.failed(id, err);
        const answered = .{ .is = "latency", .cell = id, .ns = times, .clock_ns = facts.clockCall() };
        const text = try std.json.Stringify.valueAlloc(scratch, answered, .{});
        if (text.len >= requests.max_line)
            return worker.refuse(error.Failed, "the answer is too long a line; ask for a smaller count", .{});
        try worker.out.print("{s}\n", .{text});
    }

    fn digest(worker: *Worker, request: Request) (Error || std.Io.Writer.Error)!void {
        const id, const cell = try worker.findCell(request);
        const last = try request.number("iteration", null, 0, requests.max_number);
        const first = try request.number("first", last, 0, requests.max_number);
        if (cell.operation == .key_setup)
            return worker.refuse(error.Unsupported, "key-setup has no output", .{});
        var fresh: Arena = .{}; // not the worker's, where a sample's output may wait for its own digest
        defer fresh.free();
        const job = worker.leftBy(cell, first, last) orelse try worker.anew(&fresh, id, cell, first, last);
        var sha256: Sha256 = .init(.{});
        for (cell.parts(job.output(last))) |part| sha256.update(part);
        try worker.reply(.{ .is = "digest", .cell = id, .sha256 = &std.fmt.bytesToHex(sha256.finalResult(), .lower) });
    }

    /// What the latest sample left, if it was this cell's and of these iterations.
    fn leftBy(worker: *Worker, cell: *const Cell, first: u64, last: u64) ?calls.Job {
        const left = worker.left orelse return null;
        return if (left.cell == cell and left.first == first and left.last == last) left.job else null;
    }

    /// Makes an iteration's output again: where iterations work on each other's output, by all of its text's from `first`
    /// on.
    fn anew(worker: *Worker, fresh: *Arena, id: u64, cell: *const Cell, first: u64, last: u64) Error!calls.Job {
        if (first > last or last - first >= max_anew) {
            const why = "{d} to {d} is not a range of 1 to {d} iterations; send another first";
            return worker.refuse(error.Failed, why, .{ first, last, max_anew });
        }
        const job = cell.arm(try fresh.atLeast(cell.size()));
        const loop = cell.algorithm.repeat(cell.kind(), &job);
        var i = if (cell.chains()) first + (last - first) % cell.texts else last;
        while (i <= last) : (i += cell.texts) loop(&job, i, 1) catch |err| return worker.failed(id, err);
        return job;
    }

    /// The library takes no allocator, so no heap is counted.
    fn memory(worker: *Worker, request: Request) (Error || std.Io.Writer.Error)!void {
        const reset = try request.number("reset", 0, 0, 1) == 1;
        const nothing: ?u64 = null;
        try worker.reply(.{
            .is = "memory",
            .rss = facts.resident(worker.io),
            .peak_rss = if (worker.is_peak_lost) null else facts.peakResident(worker.io),
            .heap = nothing,
            .peak_heap = nothing,
        });
        if (reset) worker.is_peak_lost = !facts.resetPeak(worker.io);
    }

    fn release(worker: *Worker, request: Request) (Error || std.Io.Writer.Error)!void {
        const id, const cell = try worker.findCell(request);
        if (worker.left) |left| if (left.cell == cell) {
            worker.left = null;
        };
        _ = worker.prepared.remove(id);
        cell.deinit(worker.allocator);
        worker.allocator.destroy(cell);
        if (worker.prepared.count() == 0) {
            worker.left = null;
            worker.arena.free(); // a large cell's memory must not affect what is measured later
        }
        try worker.reply(.{ .is = "released", .cell = id });
    }
};
