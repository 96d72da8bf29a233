package model

// Salt is the secret of a day, under which names are made that nobody can undo once
// it has expired.
type Salt struct {
	Day       Time // its first instant, UTC
	Secret    []byte
	ExpiresAt int64 // epoch seconds
}
