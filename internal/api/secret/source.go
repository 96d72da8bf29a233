package secret

import (
	"context"
	"slices"
	"sync"
	"time"
)

// How long a process uses the texts that it has read, so that a secret is rotated without a deployment: a
// deployment of the same code starts no new process.
const (
	// FreshFor is how long texts are used. A text that was removed is refused after it at the latest.
	FreshFor = 5 * time.Minute
	// refusedAfter is the least time between readings because a text was refused: a sender of wrong texts
	// causes no more than one request to Secrets Manager a minute and process.
	refusedAfter = time.Minute
)

// Load returns the texts that a secret has now.
type Load func(context.Context) ([][]byte, error)

// Source is a secret whose texts are read again from time to time. A nil Source has no texts. It is safe for
// concurrent use.
type Source struct {
	load Load
	now  func() time.Time

	mu    sync.Mutex // guards what follows
	texts [][]byte
	asked time.Time
}

// Open returns a Source with the texts that load returns now. The error is the one of load.
func Open(ctx context.Context, load Load, now func() time.Time) (*Source, error) {
	texts, err := load(ctx)
	if err != nil {
		return nil, err
	}
	return &Source{load: load, now: now, texts: texts, asked: now()}, nil
}

// Fixed returns a Source whose texts never change.
func Fixed(texts ...[]byte) *Source { return &Source{texts: texts} }

// Texts returns the accepted texts; the first one signs. Where the secret cannot be read again, they stay
// what they were.
func (s *Source) Texts(ctx context.Context) [][]byte {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readAfter(ctx, FreshFor)
	return s.texts
}

// Again reads the secret again because something signed with another text was refused, and reports whether
// the texts are others now. It reads at most once a minute.
func (s *Source) Again(ctx context.Context) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.texts
	s.readAfter(ctx, refusedAfter)
	return !slices.EqualFunc(before, s.texts, slices.Equal)
}

// readAfter reads the texts if the last attempt is so long ago. The caller holds mu.
func (s *Source) readAfter(ctx context.Context, age time.Duration) {
	if s.load == nil || s.now().Sub(s.asked).Abs() < age {
		return
	}
	s.asked = s.now()
	if texts, err := s.load(ctx); err == nil {
		s.texts = texts
	}
}
