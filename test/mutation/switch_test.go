package mutation

const module = "github.com/tidemark-db/tidemark"

// switchFile is the file of the package that the planted code calls. It exists only in the overlay.
const switchFile = "internal/mutantswitch/switch.go"

// switchSource is the package: MUTANT is the number of the fault that is on; MUTANT_REACHED is a file
// that receives the number of each fault that the tests reach.
const switchSource = `package mutantswitch

import (
	"cmp"
	"os"
	"strconv"
	"sync/atomic"
)

var active, recording = read()

var (
	reached [1 << 16]atomic.Bool
	file    *os.File
)

func read() (int, bool) {
	if path := os.Getenv("MUTANT_REACHED"); path != "" {
		file, _ = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	}
	n, err := strconv.Atoi(os.Getenv("MUTANT"))
	if err != nil {
		n = -1
	}
	return n, file != nil
}

func on(id int) bool {
	if recording && !reached[id].Swap(true) {
		file.WriteString(strconv.Itoa(id) + "\n")
	}
	return id == active
}

func Keep(id int) bool { return !on(id) }

func Not[B ~bool](id int, b B) B { return b != B(on(id)) }

func Pick[T any](id int, a, b T) T {
	if on(id) {
		return b
	}
	return a
}

func Less[T cmp.Ordered](id int, a, b T) bool    { return a < b || a == b && on(id) }
func AtMost[T cmp.Ordered](id int, a, b T) bool  { return a < b || a == b && !on(id) }
func Greater[T cmp.Ordered](id int, a, b T) bool { return Less(id, b, a) }
func AtLeast[T cmp.Ordered](id int, a, b T) bool { return AtMost(id, b, a) }

type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func Plus[T number](id int, a, b T) T {
	if on(id) {
		return a - b
	}
	return a + b
}

func Minus[T number](id int, a, b T) T {
	if on(id) {
		return a + b
	}
	return a - b
}
`
