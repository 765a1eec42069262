// Reset: sets up the registers that C needs, clears .bss and calls main. An exception ends the emulator with exit code
// 70, so that a harness sees a worker that ended and does not wait for one that hangs.
    .section .start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, exception
    csrw mtvec, t0
    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call port_start
    call main
    call port_exit

    .balign 4
exception:
    la sp, __stack_top
    li a0, 70
    call port_exit
