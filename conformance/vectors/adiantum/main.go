// Encrypts with Luke Champine's Adiantum: a line of key, tweak and message in hex gives the ciphertext.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"strings"

	"lukechampine.com/adiantum"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var fields [3][]byte
		for i, field := range strings.Fields(lines.Text()) {
			decoded, err := hex.DecodeString(field)
			if err != nil {
				log.Fatal(err)
			}
			fields[i] = decoded
		}
		key, tweak, message := fields[0], fields[1], fields[2]
		fmt.Println(hex.EncodeToString(adiantum.New(key).Encrypt(message, tweak)))
	}
}
