//! A prepared cell: its parameters, its key objects, and the set-up of its buffers before each sample.

const std = @import("std");
const Allocator = std.mem.Allocator;
const page = @import("arena.zig").page;
const calls = @import("calls.zig");
const seed = @import("seed.zig");

pub const Operation = enum { key_setup, seal, open };
pub const Form = enum { in_place, into };

/// Where a sample's stack, buffers and key lie: bytes, and the number of the key's object.
pub const Layout = struct { stack: usize = 0, offset: usize, nonce: usize, instance: usize = 0 };

pub const Cell = struct {
    algorithm: *const calls.Algorithm,
    operation: Operation,
    form: Form,
    /// Bytes.
    message: usize,
    aad: usize,
    seed: u64,
    layout: Layout,
    /// How many texts and keys calls go round, and how many objects a single key has.
    texts: usize,
    keys: usize,
    instances: usize,

    /// Where each text begins, in an order of chance: what lies behind a text is not what the next call works on.
    places: []usize = &.{},
    objects: []*const anyopaque = &.{},
    /// What lies between the objects in the heap.
    between: [][]u8 = &.{},
    message_pattern: seed.Pattern = undefined,
    aad_pattern: seed.Pattern = undefined,
    /// The number of the last iteration; 0 is digest's.
    last: u64 = 0,

    /// Makes what the samples share; `deinit` frees it, also after a failure.
    pub fn setUp(cell: *Cell, allocator: Allocator, random: std.Random) Allocator.Error!void {
        cell.message_pattern = .init("message", cell.seed, cell.message);
        cell.aad_pattern = .init("aad", cell.seed, cell.aad);
        cell.places = try allocator.alloc(usize, cell.texts);
        for (cell.places, 0..) |*place, i| place.* = i * cell.stride();
        random.shuffle(usize, cell.places);
        if (cell.operation != .key_setup) try cell.setUpKeys(allocator, random);
    }

    fn setUpKeys(cell: *Cell, allocator: Allocator, random: std.Random) Allocator.Error!void {
        const order = try allocator.alloc(usize, @max(cell.keys, cell.instances));
        defer allocator.free(order);
        for (order, 0..) |*number, i| number.* = i;
        random.shuffle(usize, order);
        const objects = try allocator.alloc(*const anyopaque, order.len);
        errdefer allocator.free(objects);
        cell.between = try allocator.alloc([]u8, order.len);
        @memset(cell.between, &.{});
        for (order, cell.between, 0..) |number, *gap, made| {
            errdefer for (order[0..made]) |done| cell.algorithm.destroy(allocator, objects[done]);
            var key: [64]u8 = undefined;
            defer std.crypto.secureZero(u8, &key);
            seed.key(key[0..cell.algorithm.key], cell.seed, if (cell.keys > 1) number else 0);
            gap.* = try allocator.alloc(u8, random.intRangeAtMost(usize, 1, 1024));
            objects[number] = try cell.algorithm.create(allocator, key[0..cell.algorithm.key]);
        }
        cell.objects = objects;
    }

    pub fn deinit(cell: *Cell, allocator: Allocator) void {
        for (cell.objects) |object| cell.algorithm.destroy(allocator, object);
        for (cell.between) |gap| allocator.free(gap);
        allocator.free(cell.objects);
        allocator.free(cell.between);
        allocator.free(cell.places);
    }

    pub fn rotates(cell: *const Cell) bool {
        return cell.texts > 1 or cell.keys > 1;
    }

    /// Whether an iteration works on what an earlier one left.
    pub fn chains(cell: *const Cell) bool {
        return cell.form == .in_place and cell.operation == .seal;
    }

    pub fn kind(cell: *const Cell) calls.Kind {
        return switch (cell.operation) {
            .key_setup => .key_setup,
            .seal => .seal,
            .open => if (cell.form == .in_place) .reopen else .open,
        };
    }

    /// Bytes of the arena.
    pub fn size(cell: *const Cell) usize {
        const buffers: usize = if (cell.chains()) 1 else 2;
        return buffers * cell.region() + 2 * page + cell.aad;
    }

    /// What a buffer with all texts takes, in whole pages, and one by which an offset moves it.
    fn region(cell: *const Cell) usize {
        if (cell.operation == .key_setup) return 0;
        return std.mem.alignForward(usize, cell.texts * cell.stride(), page) + page;
    }

    /// From one text to the next: with its tag, aligned to a cache line.
    fn stride(cell: *const Cell) usize {
        return std.mem.alignForward(usize, cell.message + cell.algorithm.tag, 64);
    }

    /// Sets the buffers up in memory of `size()` bytes, and returns what is to be timed.
    pub fn arm(cell: *const Cell, memory: []u8) calls.Job {
        const notes = memory[cell.size() - 2 * page - cell.aad + cell.layout.nonce ..];
        const first = memory[cell.layout.offset..].ptr;
        const second = if (cell.chains()) first else memory[cell.region() + cell.layout.offset ..].ptr;
        var job: calls.Job = .{
            .objects = cell.objects,
            .places = cell.places,
            .message = cell.message,
            .aad = notes[64..][0..cell.aad],
            .numbered = notes.ptr,
            .in = first,
            .out = second,
            .sealed = second,
        };
        cell.note(notes);
        if (cell.operation == .key_setup) return job;
        if (!cell.rotates()) job.objects = cell.objects[cell.layout.instance % cell.objects.len ..][0..1];
        // In the order in which the calls to come use them, so that each text was touched a round before its turn.
        for (0..cell.texts) |i| cell.armText(&job, cell.last + 1 + i);
        if (cell.operation == .open) {
            job.out = first;
            job.in = if (cell.form == .into) second else first;
        }
        return job;
    }

    /// The nonce, or the key to be set up, and the aad.
    fn note(cell: *const Cell, notes: []u8) void {
        if (cell.operation == .key_setup) {
            seed.key(notes[0..cell.algorithm.key], cell.seed, 0);
        } else if (cell.algorithm.nonce_is_counter) {
            @memset(notes[0..64], 0);
        } else {
            seed.Pattern.init("nonce", cell.seed, cell.algorithm.nonce).fill(notes[0..cell.algorithm.nonce]);
        }
        cell.aad_pattern.fill(notes[64..][0..cell.aad]);
    }

    /// Lays out the text of an iteration. Whatever may hold an older output is cleared, so that it can't pass for this
    /// cell's.
    fn armText(cell: *const Cell, job: *const calls.Job, iteration: u64) void {
        const place = job.places[iteration % job.places.len];
        const whole = cell.message + cell.algorithm.tag;
        const in, const out = .{ job.in[place..][0..whole], job.out[place..][0..whole] };
        cell.message_pattern.fill(in[0..cell.message]);
        if (cell.operation == .seal) return @memset(if (cell.chains()) out[cell.message..] else out, 0);
        var one = job.*;
        one.places = &.{0};
        one.in, one.out = .{ in.ptr, out.ptr };
        one.objects = job.objects[iteration % job.objects.len ..][0..1];
        cell.algorithm.repeat(.seal, &one)(&one, 0, 1) catch unreachable; // only opening can fail
        @memset(in, 0);
    }

    /// The parts of an output, in the order of PROTOCOL.md.
    pub fn parts(cell: *const Cell, output: []u8) [2][]const u8 {
        return ordered(cell.algorithm, cell.operation, output.ptr, output.len);
    }
};

/// Text and tag, which lie behind each other, as they are sent: the tag alone may come first.
pub fn ordered(
    algorithm: *const calls.Algorithm,
    operation: Operation,
    output: [*]const u8,
    message: usize,
) [2][]const u8 {
    const text, const tag = .{ output[0..message], output[message..][0..algorithm.tag] };
    if (operation == .open) return .{ text, "" };
    return if (algorithm.is_tag_first) .{ tag, text } else .{ text, tag };
}
