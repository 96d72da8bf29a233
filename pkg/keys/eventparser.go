package keys

import (
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// EventParser is ParseEvent for keys that come in runs, as pages and batches do: what
// a key shares with the one before it is not read again. It answers as ParseEvent
// does. The zero value is ready; it is not safe for concurrent use.
type EventParser struct {
	pk      string // of the last key
	subject string // the type in it, and the separator; "" where that is escaped
	prefix  string // all before the time in the last sort key, "" where none was read
	series  model.Series
	times   model.StoredTimes
}

// Parse is the way back from Event. Where it is an error, to means nothing.
func (p *EventParser) Parse(k Key, to *model.EventKey) error {
	const width = len(model.TimeLayout)
	n := len(p.prefix)
	if n == 0 || len(k.SK) <= n+width || k.SK[:n] != p.prefix || k.SK[n+width] != separator {
		return p.learn(k, to)
	}
	id := k.SK[n+width+1:]
	at, err := p.times.Parse([]byte(k.SK[n : n+width]))
	if err != nil || firstLow(id) < len(id) || k.PK != p.pk && !p.partition(k.PK) {
		return p.learn(k, to)
	}
	to.Series, to.At, to.ID = p.series, at, id
	return nil
}

// partition reads a partition of the same subject type, false where it needs a closer
// look.
func (p *EventParser) partition(pk string) bool {
	n := len(p.subject)
	if n == 0 || len(pk) <= n || pk[:n] != p.subject || firstLow(pk[n:]) < len(pk)-n {
		return false
	}
	p.pk, p.series.Subject.ID, p.series.Shard = pk, pk[n:], 0
	return true
}

// learn reads the whole key and remembers what the next may share.
func (p *EventParser) learn(k Key, to *model.EventKey) (err error) {
	*p = EventParser{}
	if *to, err = ParseEvent(k); err != nil {
		return err
	}
	*p = EventParser{pk: k.PK, prefix: beforeTime(k.SK), series: to.Series}
	if n := len(to.Series.Subject.Type); k.PK[:n] == to.Series.Subject.Type {
		p.subject = k.PK[:n+1]
	}
	return nil
}

// beforeTime is an event's sort key up to its time: class, kind and stream.
func beforeTime(sk string) string {
	n := 0
	for range 3 {
		n += strings.IndexByte(sk[n:], separator) + 1
	}
	return sk[:n]
}
