//! One page-aligned block of memory from which all cells take their buffers, so that no figure depends on where an
//! allocator puts them.

const std = @import("std");
const posix = std.posix;

/// What buffers are aligned to, in bytes; a system's pages have this size or a multiple.
pub const page = 4096;

pub const Arena = struct {
    memory: []align(std.heap.page_size_min) u8 = &.{},

    /// At least `size` bytes; growing discards what is in them.
    pub fn atLeast(arena: *Arena, size: usize) error{OutOfMemory}![]u8 {
        if (arena.memory.len < size) {
            arena.free();
            const flags: posix.MAP = .{ .TYPE = .PRIVATE, .ANONYMOUS = true };
            arena.memory = posix.mmap(null, size, .{ .READ = true, .WRITE = true }, flags, -1, 0) catch
                return error.OutOfMemory;
        }
        return arena.memory;
    }

    pub fn free(arena: *Arena) void {
        if (arena.memory.len > 0) posix.munmap(arena.memory);
        arena.memory = &.{};
    }
};
