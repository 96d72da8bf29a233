package alert

// What the tests of other packages' names see.
var (
	Stored = stored
	IDOf   = idOf
)

// Book is what a process remembers of the rules of a subject type.
type Book = book

// Remembers has a service take rules to be what another process of its kind read.
func (s *Service) Remembers(books map[string]*Book) { s.books = books }
