package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/senders/receiver"
)

// The gateway authorizes the paths of one list, and this function serves the paths of another.
func TestRoutes_EachWritePathIsServed(t *testing.T) {
	t.Parallel()
	served := slices.Sorted(maps.Keys(new(receiver.Receiver).Serves()))
	if paths := slices.Sorted(slices.Values(access.WriteKeyPaths)); !slices.Equal(served, paths) {
		t.Errorf("the receiver serves %q, the paths of write keys are %q", served, paths)
	}
}
