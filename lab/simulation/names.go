package simulation

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// keyName is a key with a readable form for the printed history.
type keyName keys.Key

func (k keyName) String() string {
	if e, err := keys.ParseEvent(keys.Key(k)); err == nil {
		return fmt.Sprintf("event %s of %s", strings.TrimSuffix(e.At.String()+" "+e.ID, " "), seriesName(e.Series))
	}
	if r, err := keys.ParseRow(keys.Key(k)); err == nil {
		return rowName(r)
	}
	return k.PK + " " + k.SK
}

func rowName(r rollup.Key) string {
	return fmt.Sprintf("%s %s of %s", r.Tier, r.Start.Time().Format("2006-01-02 15:04"), seriesName(r.Series))
}

func seriesName(s model.Series) string {
	name := s.Subject.ID
	if s.Stream != "" {
		name += "/" + s.Stream
	}
	if s.Shard > 0 {
		name += fmt.Sprintf("[%d]", s.Shard)
	}
	return name
}

// rangeName names the bucket that a range reads.
type rangeName struct {
	series model.Series
	from   model.Time
}

func (r rangeName) String() string {
	return r.from.Time().Format("2006-01-02 15:04") + " of " + seriesName(r.series)
}

// imageName describes the content of an image.
func imageName(it item.Item) string {
	if it == nil {
		return ""
	}
	if e, err := item.Event(it); err == nil {
		if e.Unreadable {
			return ": cannot be decoded"
		}
		v, _ := e.Attrs.Get("value")
		return fmt.Sprintf(": value %v, expires %s", valueText(v), seconds(e.ExpiresAt))
	}
	row, err := item.Row(it)
	switch {
	case err != nil:
		return ""
	case row.Empty:
		return ": an empty row"
	}
	return fmt.Sprintf(": %d events, unreadable %d, exact %v, children expire %s, expires %s",
		row.Summary.Events(), row.Unreadable, row.Exact, seconds(row.ChildrenExpireAt), seconds(row.ExpiresAt))
}

func valueText(v model.Value) string {
	if v.Kind == model.Number {
		return v.Number.String()
	}
	return "none"
}

func seconds(at int64) string {
	switch at {
	case 0:
		return "-"
	case rollup.NoExpiry:
		return "never"
	}
	return model.Time(at * 1000).Time().Format("2006-01-02 15:04:05")
}
