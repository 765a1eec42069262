//! Starts the worker that was built for this CPU, or the one without the instructions that CIPHERMETER_CPU_WITHOUT
//! names, which `ciphermeter run --cpu` sets.
//!
//! Zig chooses instructions when it compiles, so on another CPU the worker could end at its first one. This program is
//! built for any CPU and refuses that, in one line.

const std = @import("std");
const built_for = @import("built_for");

/// What `--cpu` takes away.
const known = [_][]const u8{ "aes", "vaes", "avx512", "avx2" };

pub fn main(init: std.process.Init) u8 {
    return start(init) catch |err| refuse("cannot start: {t}; build it again: ciphermeter workers build zig", .{err});
}

fn start(init: std.process.Init) !u8 {
    const cpu = (try std.zig.system.resolveTargetQuery(init.io, .{})).cpu;
    if (foreign(cpu)) |lacking| {
        const why = "built for the CPU {s}, and this is {s}{s}{s}; build it again here: ciphermeter workers build zig";
        const without = if (lacking.len > 0) " without " else "";
        return refuse(why, .{ built_for.cpu.model.name, cpu.model.name, without, lacking });
    }
    const arena = init.arena.allocator();
    const mask = init.environ_map.get("CIPHERMETER_CPU_WITHOUT") orelse "";
    for (known) |name| {
        if (std.mem.eql(u8, name, mask)) break;
    } else if (mask.len > 0) return refuse("CIPHERMETER_CPU_WITHOUT has none of aes, vaes, avx512 and avx2; correct or unset it", .{});
    // A CPU that has not what it names needs no build without it.
    const is_built = for (built_for.masks) |name| {
        if (std.mem.eql(u8, name, mask)) break true;
    } else false;
    const name = if (is_built) try std.fmt.allocPrint(arena, "worker-no-{s}", .{mask}) else "worker-native";
    const folder = try std.process.executableDirPathAlloc(init.io, arena);
    const arguments = try init.minimal.args.toSlice(arena);
    const command = try arena.alloc([]const u8, arguments.len);
    for (arguments, command) |argument, *word| word.* = argument;
    command[0] = try std.fs.path.join(arena, &.{ folder, name });
    return std.process.replace(init.io, .{ .argv = command });
}

/// Whether this is another CPU than the one that the code is made for: a feature that it lacks, if there is one.
fn foreign(cpu: std.Target.Cpu) ?[]const u8 {
    const wanted = built_for.cpu;
    for (cpu.arch.allFeaturesList()) |feature| {
        if (wanted.features.isEnabled(feature.index) and !cpu.features.isEnabled(feature.index)) return feature.name;
    }
    return if (std.mem.eql(u8, cpu.model.name, wanted.model.name)) null else "";
}

fn refuse(comptime format: []const u8, args: anytype) u8 {
    std.debug.print("zig worker: " ++ format ++ "\n", args);
    return 1;
}
