package model

// Gap is a range of time whose changes aggregate may never have been told of: for
// longer than the table stream remembers, nothing of it was settled.
type Gap struct {
	From Time // the newest change that had been settled, by the table's clock
	To   Time // the newest change of the first batch settled after it
}
