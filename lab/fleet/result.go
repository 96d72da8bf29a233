package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// Result is the result of a comparison.
type Result struct {
	Sent     int         `json:"-"` // readings, with those that were sent twice
	Stats    stack.Stats `json:"-"`
	Units    units       `json:"-"` // in-process
	Readings int         `json:"readings"`
	Moved    int         `json:"moved"`   // devices that were at two sites
	Buckets  int         `json:"buckets"` // of groups
	Exact    int         `json:"exact"`   // of them, by their rows
	Lists    int         `json:"lists"`   // of members
	Wrong    []string    `json:"wrong"`   // a sentence for each bucket and list that is not equal
}

// parse reads what the program printed.
func (r *Result) parse(out []byte) error {
	if err := json.Unmarshal(out, r); err != nil {
		return fmt.Errorf("compare with DuckDB: %w in %.300s", err, out)
	}
	return nil
}

// Err returns an error if a bucket or a list is wrong, or nothing was compared.
func (r *Result) Err() error {
	switch {
	case r.Buckets == 0 || r.Lists == 0 || r.Moved == 0:
		return errors.New("nothing was compared")
	case len(r.Wrong) > 0:
		return errors.New("the groups differ from DuckDB")
	case r.Exact < r.Buckets:
		return fmt.Errorf("%d rows are not exact", r.Buckets-r.Exact)
	}
	return nil
}

// shown is how many differences are printed.
const shown = 10

func (r Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sent      %d readings, %d of them twice; %d devices moved to another site\n", r.Sent,
		r.Sent-r.Readings, r.Moved)
	fmt.Fprintf(&b, "delivery  %d batches, %d delivered again, %d in pieces, %d kills\n", r.Stats.Batches,
		r.Stats.Again, r.Stats.Recut, r.Stats.Kills)
	if r.Units.events > 0 {
		fmt.Fprintf(&b, "units     %s\n", r.Units)
	}
	fmt.Fprintf(&b, "groups    %d buckets, %d of them exact, and %d lists of members: %d differ from DuckDB\n",
		r.Buckets, r.Exact, r.Lists, len(r.Wrong))
	for i, w := range r.Wrong {
		if i == shown {
			fmt.Fprintf(&b, "  … and %d more\n", len(r.Wrong)-shown)
			break
		}
		fmt.Fprintln(&b, " ", w)
	}
	return b.String()
}
