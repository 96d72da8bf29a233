package rollup

import (
	_ "embed"

	"github.com/tidemark-db/tidemark/internal/embedded"
)

// binsPerDecade is the least number of equal bins per decade for which no value is farther
// than 1 % from the middle of its bin: their ratio is 10^(1/116) = 1.02005, and a value
// is at most 0.9925 % away. Because it is an integer, one table serves every decade.
const binsPerDecade = 116

// bounds[i] is the least integer not below 10^(17+i/116): the first number of 18 digits
// in bin i. A test proves each one by raising it to the 116th power.
var bounds = embedded.JSON[[binsPerDecade + 1]uint64](boundsText)

//go:embed bounds.json
var boundsText []byte

// cellShift divides the numbers of 18 digits into cells narrower than any bin, so that a
// cell contains at most one bound.
const cellShift = 50

// cellBin is the bin of each cell's first number.
var cellBin = func() (cells [bounds18>>cellShift + 1]uint8) {
	bin := 0
	for cell := range cells {
		for bin+1 < binsPerDecade && bounds[bin+1] <= uint64(cell)<<cellShift {
			bin++
		}
		cells[cell] = uint8(bin)
	}
	return cells
}()

const bounds18 = 1_000_000_000_000_000_000

// binOf returns the bin of a number of 18 digits.
func binOf(mantissa uint64) int {
	bin := int(cellBin[mantissa>>cellShift])
	if mantissa >= bounds[bin+1] {
		bin++
	}
	return bin
}
