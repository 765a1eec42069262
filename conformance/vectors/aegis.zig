//! AEGIS from Zig's standard library, with C's calling convention: for aegis.py.

const aegis = @import("std").crypto.aead.aegis;

fn Sealing(comptime Cipher: type) type {
    return struct {
        fn seal(
            output: [*]u8,
            tag: *[Cipher.tag_length]u8,
            message: [*]const u8,
            message_len: usize,
            aad: [*]const u8,
            aad_len: usize,
            nonce: *const [Cipher.nonce_length]u8,
            key: *const [Cipher.key_length]u8,
        ) callconv(.c) void {
            Cipher.encrypt(output[0..message_len], tag, message[0..message_len], aad[0..aad_len], nonce.*, key.*);
        }
    };
}

comptime {
    @export(&Sealing(aegis.Aegis128L).seal, .{ .name = "aegis-128l" });
    @export(&Sealing(aegis.Aegis128L_256).seal, .{ .name = "aegis-128l-32" });
    @export(&Sealing(aegis.Aegis256_256).seal, .{ .name = "aegis-256-32" });
    @export(&Sealing(aegis.Aegis128X2).seal, .{ .name = "aegis-128x2" });
    @export(&Sealing(aegis.Aegis128X4).seal, .{ .name = "aegis-128x4" });
    @export(&Sealing(aegis.Aegis256).seal, .{ .name = "aegis-256" });
    @export(&Sealing(aegis.Aegis256X2).seal, .{ .name = "aegis-256x2" });
    @export(&Sealing(aegis.Aegis256X4).seal, .{ .name = "aegis-256x4" });
}
