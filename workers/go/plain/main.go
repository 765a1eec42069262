// Command plain times the same calls as the worker, as an ordinary user of the
// library would write it: key, nonce and message once, then a loop. It shares
// no code with the worker, and shows that the worker adds no time of its own.
//
//	plain PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES
//
// Each line on standard input is a count of iterations; each answer is the
// nanoseconds that they took. Unknown arguments end it with exit code 2.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"time"
)

// loop does count iterations; it keeps its nonce's counter from call to call.
type loop func(count uint64) error

// sink keeps the outputs, so that no compiler can omit the calls.
var sink []byte

func main() {
	run, err := prepare(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(2)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		count, err := strconv.ParseUint(lines.Text(), 10, 32)
		if err != nil {
			fmt.Fprintln(os.Stderr, "plain: a line is not a count of iterations:", err)
			os.Exit(2)
		}
		begin := time.Now()
		err = run(count)
		elapsed := time.Since(begin)
		if err != nil {
			fmt.Fprintln(os.Stderr, "plain:", err)
			os.Exit(1)
		}
		fmt.Println(elapsed.Nanoseconds())
	}
}

func prepare(args []string) (loop, error) {
	if len(args) != 5 {
		return nil, fmt.Errorf("%d arguments; give PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES", len(args))
	}
	size, err := strconv.ParseUint(args[4], 10, 30)
	if err != nil {
		return nil, fmt.Errorf("message bytes: %w", err)
	}
	provider, algorithm, operation, form := args[0], args[1], args[2], args[3]
	message := make([]byte, size, size+16)
	for i := range message {
		message[i] = byte(i)
	}
	switch provider {
	case "go":
		return prepareGo(algorithm, operation, form, message)
	case "tink-go":
		return prepareTink(algorithm, operation, form, message)
	}
	return nil, fmt.Errorf("no provider %q; there are go and tink-go", provider)
}

func unknown(what, name string) error { return fmt.Errorf("no %s %q here", what, name) }
