package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// settle gives the calling thread its own CPU. Otherwise the system lets
// threads that were woken together share the waker's CPU for some milliseconds:
// longer than a sample.
func settle(thread int) {
	cpus := spread()
	if len(cpus) == 0 {
		return
	}
	var own unix.CPUSet
	own.Set(cpus[thread%len(cpus)])
	_ = unix.SchedSetaffinity(0, &own) // where it is refused, the system decides
}

// spread is the CPUs of this process's mask, one of each physical core first,
// so that as few threads as possible share a core.
var spread = sync.OnceValue(func() []int {
	var mask unix.CPUSet
	if unix.SchedGetaffinity(os.Getpid(), &mask) != nil {
		return nil
	}
	var cpus []int
	for cpu := 0; len(cpus) < mask.Count(); cpu++ {
		if mask.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	before := make(map[int]int)
	for _, cpu := range cpus {
		for _, sibling := range siblings(cpu) {
			if sibling < cpu && slices.Contains(cpus, sibling) {
				before[cpu]++
			}
		}
	}
	slices.SortStableFunc(cpus, func(a, b int) int { return before[a] - before[b] })
	return cpus
})

// siblings is the hardware threads of a CPU's core; none where the system does
// not report them.
func siblings(cpu int) (cpus []int) {
	text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
	if err != nil {
		return nil
	}
	for part := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		var first, last int
		if n, _ := fmt.Sscanf(part, "%d-%d", &first, &last); n == 1 {
			last = first
		}
		for cpu := first; cpu <= last && cpu < first+maxThreads; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
