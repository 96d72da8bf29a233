package keys

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// EventParser is a faster ParseEvent for consecutive keys that share a partition or a series, as the keys of
// a page or a batch do: it does not parse the shared part again. The results equal ParseEvent's. The zero
// value is ready to use; an EventParser is not safe for concurrent use.
type EventParser struct {
	pk      string // partition key of the last key
	subject string // its subject type and the separator; "" if the type is escaped
	prefix  string // the last sort key up to its time; "" if none was parsed
	series  model.Series
	times   storedtime.Parser
}

// Parse is the inverse of Event. If it returns an error, the content of to is undefined.
func (p *EventParser) Parse(k Key, to *model.EventKey) error {
	const width = len(model.TimeLayout)
	n := len(p.prefix)
	if n == 0 || len(k.SK) <= n+width || k.SK[:n] != p.prefix || k.SK[n+width] != separator {
		return p.parseAll(k, to)
	}
	id := k.SK[n+width+1:]
	at, err := p.times.Parse([]byte(k.SK[n : n+width]))
	if err != nil || keyparts.EscapedFrom(id) < len(id) || k.PK != p.pk && !p.parsePartition(k.PK) {
		return p.parseAll(k, to)
	}
	to.Series = p.series
	to.At = at
	to.ID = id
	return nil
}

// parsePartition parses a partition key of the same subject type. It returns false if
// the key has a shard or an escape, which parseAll parses.
func (p *EventParser) parsePartition(pk string) bool {
	n := len(p.subject)
	if n == 0 || len(pk) <= n || pk[:n] != p.subject || keyparts.EscapedFrom(pk[n:]) < len(pk)-n {
		return false
	}
	p.pk = pk
	p.series.Subject.ID = pk[n:]
	p.series.Shard = 0
	return true
}

// parseAll parses the complete key and stores the parts that the next key may share.
func (p *EventParser) parseAll(k Key, to *model.EventKey) (err error) {
	*p = EventParser{}
	if *to, err = ParseEvent(k); err != nil {
		return err
	}
	*p = EventParser{pk: k.PK, prefix: beforeTime(k.SK), series: to.Series}
	if n := len(to.Series.Subject.Type) + 1; k.PK[:n] == to.Series.Subject.Type+string(separator) {
		p.subject = k.PK[:n]
	}
	return nil
}

// beforeTime returns an event's sort key up to its time: class, kind and stream.
func beforeTime(sk string) string {
	n := 0
	for range 3 {
		n += strings.IndexByte(sk[n:], separator) + 1
	}
	return sk[:n]
}
