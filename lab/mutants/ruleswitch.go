package mutants

const module = "github.com/tidemark-db/tidemark"

// switchFile is the file of the package that the planted code calls. It exists only in the overlay.
const switchFile = "internal/mutantswitch/switch.go"

// switchSource is the package: MUTANT is the number of the fault that is on; MUTANT_REACHED is a file
// that receives the number of each fault that the tests reach. A bound is reached if both sides are
// equal: only then does its fault differ. A fault that is met more often than MUTANT_LIMIT does not
// end; it ends the process, so that no clock decides whether it is found.
const switchSource = `package mutantswitch

import (
	"cmp"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var active, limit = setting("MUTANT", -1), setting("MUTANT_LIMIT", 1<<40)

var (
	times [1 << 16]atomic.Int64
	file  = open()
	mu    sync.Mutex // guards line
	line  = make([]byte, 0, 64)
)

func setting(name string, otherwise int64) int64 {
	n, err := strconv.ParseInt(os.Getenv(name), 10, 64)
	if err != nil {
		return otherwise
	}
	return n
}

func open() *os.File {
	path := os.Getenv("MUTANT_REACHED")
	if path == "" {
		return nil
	}
	file, _ := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return file
}

// record allocates nothing: some tests count allocations.
func record(id, n int64) {
	mu.Lock()
	defer mu.Unlock()
	line = append(strconv.AppendInt(append(strconv.AppendInt(line[:0], id, 10), ' '), n, 10), '\n')
	file.Write(line)
}

func on(id int) bool {
	if file != nil {
		if n := times[id].Add(1); n&(n-1) == 0 { // 1, 2, 4, and so on
			record(int64(id), n)
		}
	}
	if int64(id) != active {
		return false
	}
	if times[id].Add(1) > limit {
		os.Stderr.WriteString("the fault does not end\n")
		os.Exit(3)
	}
	return true
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
