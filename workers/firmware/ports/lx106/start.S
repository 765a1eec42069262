// Reset, exceptions and the counter's interrupt. A program for this machine does not begin at its ELF entry, but where
// the core does: at 0x50000000.
    .section .reset, "ax"
    j 1f
    .balign 4
entry:
    .word _start
1:  l32r a0, entry
    jx a0

// Clears .bss and calls main, with interrupts on.
    .section .start, "ax"
    .literal_position
    .globl _start
_start:
    movi a0, 0
    wsr a0, intenable
    wsr a0, ps
    rsync
    movi a1, __stack_top
    movi a2, __bss_start
    movi a3, __bss_end
1:  bgeu a2, a3, 2f
    s32i a0, a2, 0
    addi a2, a2, 4
    j 1b
2:  call0 port_start
    call0 main
    call0 port_exit

// What an exception of the kernel and of a program jump to, 0x30 and 0x50 bytes behind the base of the vectors.
    .section .vectors, "ax"
    .org 0x30
    wsr a2, excsave1
    j exception
    .org 0x50
    wsr a2, excsave1
    j exception
    .org 0x70
    j fatal

// The counter has 32 bits. Its interrupt comes when it passes 0 and 0x80000000, and counts these halves. It costs exactly
// 25 instructions, as QEMU counts: the 24 from the vector to the return, and the interrupt itself. These are 1024 ticks,
// which port_ticks takes off again; the NOPs fill up.
    .literal_position
exception:
    rsr a2, exccause
    bnei a2, 4, fatal                   // 4: a level-1 interrupt; only the counter's is enabled
    movi a2, counter_state
    s32i a3, a2, 4
    l32i a3, a2, 0
    addi a3, a3, 1
    s32i a3, a2, 0
    s32i a4, a2, 8
    movi a4, 1
    slli a4, a4, 31
    rsr a3, ccompare0
    add a3, a3, a4
    wsr a3, ccompare0                   // acknowledges, too
    esync
    l32i a4, a2, 8
    l32i a3, a2, 4
    rsr a2, excsave1
    nop
    nop
    nop
    nop
    rfe

// Any other exception ends the emulator with exit code 70, so that a harness sees a worker that ended and does not wait
// for one that hangs.
fatal:
    movi a3, 70
    movi a2, 1
    simcall
    j fatal

    .section .bss
    .balign 4
    .globl counter_state
counter_state:                          // how many halves were passed; a3 and a4 of what was interrupted
    .space 12
