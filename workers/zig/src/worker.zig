//! The worker: requests and answers. Its state is the prepared cells, the arena, and the sample whose output is in it.

const std = @import("std");
const builtin = @import("builtin");
const Allocator = std.mem.Allocator;
const Sha256 = std.crypto.hash.sha2.Sha256;
const Arena = @import("arena.zig").Arena;
const page = @import("arena.zig").page;
const calls = @import("calls.zig");
const cells = @import("cell.zig");
const facts = @import("facts.zig");
const library = @import("library.zig");
const stack = @import("stack.zig");
const timing = @import("timing.zig");
const requests = @import("request.zig");
const Cell = cells.Cell;
const Error = requests.Error;
const Request = requests.Request;

const provider = "zig";
const max_cells = 1 << 16;
const max_message = 1 << 30;
const max_aad = 1 << 20;
const max_input = 16 << 10;
/// Iterations of a digest.
const max_anew = 1 << 24;

/// The latest sample's output in the buffers.
const Left = struct { cell: *Cell, first: u64, last: u64, job: calls.Job };

/// What a request concerns.
const Offer = struct { algorithm: *const calls.Algorithm, operation: cells.Operation, form: cells.Form };

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
            .check => try worker.check(scratch, request),
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
        try worker.reply(.{
            .is = "worker",
            .protocol = 1,
            .worker = provider,
            .runtime = std.fmt.comptimePrint("zig {s}, {t}, for {s}", .{
                builtin.zig_version_string, builtin.mode, builtin.cpu.model.name,
            }),
            .layouts = 1,
            .rotates = 1,
            .process_cpu = 1,
        });
        for (&calls.algorithms) |*algorithm| {
            const operations = if (algorithm.is_aead) "seal,open" else "encrypt,decrypt";
            try worker.reply(.{
                .is = "offer",
                .provider = provider,
                .version = builtin.zig_version_string,
                .algorithm = algorithm.name,
                .operations = operations,
                .forms = "in-place,into",
                .path = algorithm.path,
                .setup = if (algorithm.setup_inside) "inside" else "outside",
            });
        }
        for (library.reasons) |why| try worker.reply(.{ .is = "absent", .provider = provider, .why = why });
        try worker.reply(.{ .is = "end" });
    }

    fn find(worker: *Worker, request: Request) Error!Offer {
        const named = try request.text("provider", null);
        const name = try request.text("algorithm", null);
        const operation = try request.text("operation", null);
        const form = try request.text("form", "in-place");
        const here = std.mem.eql(u8, named, provider);
        const algorithm = for (&calls.algorithms) |*one| {
            if (here and std.mem.eql(u8, one.name, name)) break one;
        } else return worker.refuse(error.Unsupported, "no such algorithm of this provider; describe lists them", .{});
        const verbs: [2][]const u8 = if (algorithm.is_aead) .{ "seal", "open" } else .{ "encrypt", "decrypt" };
        return .{
            .algorithm = algorithm,
            .operation = if (std.mem.eql(u8, operation, verbs[0]))
                .seal
            else if (std.mem.eql(u8, operation, verbs[1]))
                .open
            else if (std.mem.eql(u8, operation, "key-setup") and !algorithm.setup_inside)
                .key_setup
            else
                return worker.refuse(error.Unsupported, "{s} has no such operation; describe lists them", .{name}),
            .form = if (std.mem.eql(u8, form, "in-place"))
                .in_place
            else if (std.mem.eql(u8, form, "into"))
                .into
            else
                return worker.refuse(error.Unsupported, "the library allocates nothing, and splits no message; " ++
                    "its forms are in-place and into", .{}),
        };
    }

    /// One vector, through the timed loop.
    fn check(worker: *Worker, scratch: Allocator, request: Request) (Error || std.Io.Writer.Error)!void {
        const offer = try worker.find(request);
        const algorithm = offer.algorithm;
        const key = try request.bytes(scratch, "key", null);
        const nonce = try request.bytes(scratch, "nonce", "");
        const aad = try request.bytes(scratch, "aad", "");
        const input = try request.bytes(scratch, "input", null);
        if (input.len > max_input)
            return worker.refuse(error.Failed, "an input of {d} bytes; send at most {d}", .{ input.len, max_input });
        if (offer.operation == .key_setup)
            return worker.refuse(error.Unsupported, "key-setup has no output to be checked", .{});
        if (key.len != algorithm.key or nonce.len != algorithm.nonce) {
            const why = "a key of {d} bytes and a nonce of {d}; {s} takes {d} and {d} here";
            const sizes = .{ key.len, nonce.len, algorithm.name, algorithm.key, algorithm.nonce };
            return worker.refuse(error.Unsupported, why, sizes);
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
        const object = try algorithm.create(worker.allocator, key);
        defer algorithm.destroy(worker.allocator, object);
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
        const whole = try std.mem.concat(scratch, u8, &parts);
        try worker.reply(.{ .is = "output", .output = try std.fmt.allocPrint(scratch, "{x}", .{whole}) });
    }

    fn prepare(worker: *Worker, request: Request) (Error || std.Io.Writer.Error)!void {
        const offer = try worker.find(request);
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

    fn find_cell(worker: *Worker, request: Request) Error!struct { u64, *Cell } {
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
        const id, const cell = try worker.find_cell(request);
        const warmup_ns = try request.number("warmup_ns", 0, 0, requests.max_number);
        const iterations = try request.number("iterations", null, 1, std.math.maxInt(u32));
        if (request.values.contains("stack")) cell.layout = .{
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
        const id, const cell = try worker.find_cell(request);
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
        const id, const cell = try worker.find_cell(request);
        const last = try request.number("iteration", null, 0, requests.max_number);
        const first = try request.number("first", last, 0, requests.max_number);
        if (cell.operation == .key_setup)
            return worker.refuse(error.Unsupported, "key-setup has no output", .{});
        var fresh: Arena = .{}; // not the worker's, where a sample's output may wait for its own digest
        defer fresh.free();
        const job = if (worker.left) |left|
            if (left.cell == cell and left.first == first and left.last == last)
                left.job
            else
                try worker.anew(&fresh, id, cell, first, last)
        else
            try worker.anew(&fresh, id, cell, first, last);
        var sha256: Sha256 = .init(.{});
        for (cell.parts(job.output(last))) |part| sha256.update(part);
        try worker.reply(.{ .is = "digest", .cell = id, .sha256 = &std.fmt.bytesToHex(sha256.finalResult(), .lower) });
    }

    /// Makes an iteration's output again; where iterations work on each other's output, all of its text's from first on.
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
        const id, const cell = try worker.find_cell(request);
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
