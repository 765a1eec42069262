package main

// Messages: one flat JSON object a line. Requests are read strictly (no
// nesting, floats or booleans, integers from 0 to 2^53-1), answers are written
// key by key in the order of PROTOCOL.md.

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxNumber is the largest integer that every JSON reader represents exactly.
const maxNumber = 1<<53 - 1

// request is a parsed line. Its getters record the first error in err, so that
// a handler reads all its keys and checks once.
type request struct {
	values map[string]any // string, uint64 or []uint64
	err    error
}

// parse reads one line of at most maxLine bytes. Of a repeated key the last
// value counts; null is absent.
func parse(text []byte) (*request, error) {
	// Valid checks the grammar, which the token reader alone checks loosely.
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, errors.New("the line is not JSON in UTF-8; send one flat object a line")
	}
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	if open, _ := tokens.Token(); open != json.Delim('{') {
		return nil, errors.New("the line is not an object; send one flat object a line")
	}
	r := &request{values: map[string]any{}}
	for tokens.More() {
		key, _ := tokens.Token()
		value, err := parseValue(tokens)
		if err != nil {
			return nil, fmt.Errorf("key %.40q: %w", key, err)
		}
		if value == nil {
			delete(r.values, key.(string))
		} else {
			r.values[key.(string)] = value
		}
	}
	return r, nil
}

func parseValue(tokens *json.Decoder) (any, error) {
	token, err := tokens.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case nil, string:
		return token, nil
	case json.Number:
		return parseNumber(token)
	case json.Delim:
		if token == '[' {
			return parseNumbers(tokens)
		}
	}
	return nil, errors.New("neither string, integer, null nor array of integers; send one of these")
}

func parseNumbers(tokens *json.Decoder) (any, error) {
	numbers := []uint64{}
	for tokens.More() {
		token, err := tokens.Token()
		if err != nil {
			return nil, err
		}
		text, ok := token.(json.Number)
		if !ok {
			return nil, errors.New("an array may hold only integers")
		}
		number, err := parseNumber(text)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	_, err := tokens.Token() // the closing bracket
	return numbers, err
}

func parseNumber(text json.Number) (uint64, error) {
	number, err := strconv.ParseUint(text.String(), 10, 64)
	if err != nil || number > maxNumber {
		return 0, fmt.Errorf("%.40s is not an integer from 0 to 2^53-1", text)
	}
	return number, nil
}

func (r *request) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// text is a required string.
func (r *request) text(key string) string {
	if r.values[key] == nil {
		r.fail("the key %q is missing; send it", key)
	}
	return r.textOr(key, "")
}

// textOr is a string, or fallback where the key is absent.
func (r *request) textOr(key, fallback string) string {
	switch value := r.values[key].(type) {
	case nil:
		return fallback
	case string:
		return value
	}
	r.fail("the key %q is not a string; send one", key)
	return ""
}

// number is a required integer from low to high.
func (r *request) number(key string, low, high uint64) uint64 {
	if r.values[key] == nil {
		r.fail("the key %q is missing; send an integer from %d to %d", key, low, high)
	}
	return r.numberOr(key, low, low, high)
}

// numberOr is an integer from low to high, or fallback where the key is absent.
func (r *request) numberOr(key string, fallback, low, high uint64) uint64 {
	value, there := r.values[key]
	if !there {
		return fallback
	}
	number, ok := value.(uint64)
	if !ok || number < low || number > high {
		r.fail("the key %q is not an integer from %d to %d; send one", key, low, high)
	}
	return number
}

// bytes decodes lower-case hex; text is the result of text or textOr.
func (r *request) bytes(key, text string) []byte {
	decoded, err := hex.DecodeString(text)
	if err != nil || hex.EncodeToString(decoded) != text {
		r.fail("the key %q is not lower-case hex; send two digits a byte", key)
	}
	return decoded
}

// line is an answer under construction.
type line []byte

func is(kind string) line {
	return line(`{"is":"` + kind + `"`)
}

func (l line) key(key string) line {
	return append(append(append(l, `,"`...), key...), `":`...)
}

func (l line) text(key, value string) line {
	quoted, _ := json.Marshal(value) // a string always marshals
	return append(l.key(key), quoted...)
}

func (l line) number(key string, value uint64) line {
	return strconv.AppendUint(l.key(key), value, 10)
}

// maybe writes null for what the system does not report.
func (l line) maybe(key string, value uint64, known bool) line {
	if !known {
		return append(l.key(key), "null"...)
	}
	return l.number(key, value)
}

func (l line) numbers(key string, values []uint64) line {
	l = append(l.key(key), '[')
	for i, value := range values {
		if i > 0 {
			l = append(l, ',')
		}
		l = strconv.AppendUint(l, value, 10)
	}
	return append(l, ']')
}

func (l line) end() []byte {
	return append(l, "}\n"...)
}

// failure is the answer to a request that failed.
func failure(err error) []byte {
	return is("error").text("why", fmt.Sprintf("%.2000s", err.Error())).end()
}
