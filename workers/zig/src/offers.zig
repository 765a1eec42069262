//! What the worker offers, and which of it a request concerns.

const std = @import("std");
const builtin = @import("builtin");
const calls = @import("calls.zig");
const library = @import("library.zig");
const cells = @import("cell.zig");
const requests = @import("request.zig");

const provider = "zig";

const forms: std.StaticStringMap(cells.Form) = .initComptime(.{ .{ "in-place", .in_place }, .{ "into", .into } });

/// What is left out, and why.
pub const reasons = library.reasons;

/// The answer to `describe` begins with this.
pub const head = .{
    .is = "worker",
    .protocol = 1,
    .worker = provider,
    .runtime = std.fmt.comptimePrint("zig {s}, {t}, for {s}", .{
        builtin.zig_version_string, builtin.mode, builtin.cpu.model.name,
    }),
    .layouts = 1,
    .rotates = 1,
    .process_cpu = 1,
};

const Line = struct {
    is: []const u8 = "offer",
    provider: []const u8 = provider,
    version: []const u8 = builtin.zig_version_string,
    algorithm: []const u8,
    operations: []const u8,
    forms: []const u8 = "in-place,into",
    path: []const u8,
    setup: []const u8,
};

pub fn line(algorithm: *const calls.Algorithm) Line {
    // Only a bare cipher may have an object to be set up.
    const bare = if (algorithm.setup_inside) "encrypt,decrypt" else "key-setup,encrypt,decrypt";
    return .{
        .algorithm = algorithm.name,
        .operations = if (algorithm.is_aead) "seal,open" else bare,
        .path = algorithm.path,
        .setup = if (algorithm.setup_inside) "inside" else "outside",
    };
}

pub fn absent(why: []const u8) struct { is: []const u8, provider: []const u8, why: []const u8 } {
    return .{ .is = "absent", .provider = provider, .why = why };
}

/// What a request concerns.
pub const Offer = struct { algorithm: *const calls.Algorithm, operation: cells.Operation, form: cells.Form };

pub fn find(request: requests.Request) requests.Error!Offer {
    const refusal = request.refusal;
    const is_here = std.mem.eql(u8, try request.text("provider", null), provider);
    const name = try request.text("algorithm", null);
    const algorithm = for (&calls.algorithms) |*one| {
        if (is_here and std.mem.eql(u8, one.name, name)) break one;
    } else return refusal.because(error.Unsupported, "no such algorithm of this provider; describe lists them", .{});

    const operation = try request.text("operation", null);
    const form = try request.text("form", "in-place");
    return .{
        .algorithm = algorithm,
        .operation = operationOf(algorithm, operation) orelse
            return refusal.because(error.Unsupported, "{s} has no such operation; describe lists them", .{name}),
        .form = forms.get(form) orelse
            return refusal.because(error.Unsupported, "no such form; describe lists them", .{}),
    };
}

fn operationOf(algorithm: *const calls.Algorithm, word: []const u8) ?cells.Operation {
    const verbs: [2][]const u8 = if (algorithm.is_aead) .{ "seal", "open" } else .{ "encrypt", "decrypt" };
    if (std.mem.eql(u8, word, verbs[0])) return .seal;
    if (std.mem.eql(u8, word, verbs[1])) return .open;
    return if (std.mem.eql(u8, word, "key-setup") and !algorithm.setup_inside) .key_setup else null;
}
