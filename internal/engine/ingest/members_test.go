package ingest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
)

// A body of some megabytes has millions of members. Those that no event can have are not decoded.
func TestDecodeBody_LimitsMembers(t *testing.T) {
	object := func(members int) string {
		text := []byte("{")
		for i := range members {
			text = fmt.Appendf(text, `"%d":1,`, i)
		}
		return string(text[:len(text)-1]) + "}"
	}
	repeated := func(members int) string { return "{" + strings.Repeat(`"a":1,`, members-1) + `"b":1}` }
	one, _, err := ingest.DecodeBody([]byte(repeated(100_001)), 1000)
	if err != nil || len(one) != 1 || len(one[0].Fields) > 0 || one[0].DecodeError == nil ||
		one[0].DecodeError.Code != ingest.CodeTooManyFields {
		t.Errorf("%+v, %v; want it refused", one, err)
	}
	one, _, err = ingest.DecodeBody([]byte(repeated(100_000)), 1000)
	if err != nil || len(one[0].Fields) != 2 {
		t.Errorf("%+v, %v; want two fields", one, err)
	}
	for _, c := range []struct {
		objects, members int
		err              error
	}{{objects: 1000, members: 350}, {objects: 1000, members: 1000, err: ingest.ErrTooMany},
		{objects: 9, members: 90_000, err: ingest.ErrTooMany}} {
		all := strings.Repeat(object(c.members)+",\n", c.objects-1) + object(c.members)
		_, _, err := ingest.DecodeBody([]byte("["+all+"]"), 1000)
		_, errLines := ingest.DecodeLines([]byte(strings.ReplaceAll(all, ",\n", "\n")), 1000)
		if !errors.Is(err, c.err) || !errors.Is(errLines, c.err) {
			t.Errorf("%d objects with %d members: %v, %v; want %v", c.objects, c.members, err, errLines, c.err)
		}
	}
}
