// A harness may change this process's CPU mask while it lives. Go would follow with
// another GOMAXPROCS, and with it stop the world, in the midst of a sample; here
// only a cell with several threads asks for more.
//
//go:debug updatemaxprocs=0

// Command worker is Ciphermeter's Go worker: it speaks PROTOCOL.md on standard
// input and output and hosts the providers "go", that is the standard library
// and golang.org/x/crypto, and "tink-go": those named as arguments, or all.
//
// It promises one answer for each line (describe: a list), never a crash
// whatever a line contains, and exit code 0 at the end of its input.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine is the longest line in bytes, the newline included, both ways.
const maxLine = 65536

func main() {
	w, err := newWorker(os.Args[1:]...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "go worker: %v\n", err)
		os.Exit(2)
	}
	if err := w.serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "go worker: %v\n", err)
		os.Exit(1)
	}
}

// serve answers the lines of in on out until in ends. It fails only if in
// cannot be read or out cannot be written.
func (w *worker) serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, maxLine) // the buffer is the limit: a line that does not fit is too long
	for {
		text, err := lines.ReadSlice('\n')
		var reply []byte
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = lines.ReadSlice('\n')
			}
			reply = failure(fmt.Errorf("a line of more than %d bytes; send a shorter one", maxLine))
		case len(bytes.Trim(text, " \t\r\n")) > 0:
			reply = w.answer(text)
		}
		if _, err := out.Write(reply); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
	}
}
