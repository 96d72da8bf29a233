package bench

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/goccy/go-json"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// keep prevents the compiler from removing the computation of an unused result.
//
//go:noinline
func keep(int) {}

// byteLoop tests each byte for the end of a string and for bytes that are not allowed in
// one: the minimum for a strict decoder that reads byte by byte.
func byteLoop(payload []byte) (n int) {
	for _, c := range payload {
		if c == '"' || c == '\\' || c < ' ' {
			n++
		}
	}
	return n
}

// countQuotes only counts quotes: the minimum for any loop.
func countQuotes(payload []byte) (n int) {
	for _, c := range payload {
		if c == '"' {
			n++
		}
	}
	return n
}

// purposeMade is a struct for exactly these records.
type purposeMade struct {
	Records []struct {
		EventID        string `json:"eventID"`
		EventName      string `json:"eventName"`
		EventSourceARN string `json:"eventSourceARN"`
		DynamoDB       struct {
			ApproximateCreationDateTime int64
			Keys                        struct {
				PK text `json:"pk"`
				SK text `json:"sk"`
			}
			NewImage struct {
				V         number `json:"v"`
				ExpiresAt number `json:"expiresAt"`
				Hash      struct {
					B string
				} `json:"_hash"`
				Arrived     text   `json:"_arrived"`
				Battery     number `json:"battery"`
				Humidity    number `json:"humidity"`
				Temperature number `json:"temperature"`
			}
			SequenceNumber string
		} `json:"dynamodb"`
	}
}

type (
	text   struct{ S string }
	number struct{ N string }
)

// goccyDecode decodes with the fastest common library into purposeMade.
func goccyDecode(payload []byte) ([]storage.Change, error) {
	var in purposeMade
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, err
	}
	out := make([]storage.Change, 0, len(in.Records))
	for i := range in.Records {
		r := &in.Records[i]
		key, err := keys.ParseEvent(keys.Key{PK: r.DynamoDB.Keys.PK.S, SK: r.DynamoDB.Keys.SK.S})
		if err != nil {
			return nil, err
		}
		image := &r.DynamoDB.NewImage
		e := &model.Event{Series: key.Series, Order: key.Order}
		hash, _ := base64.StdEncoding.DecodeString(image.Hash.B)
		copy(e.Hash[:], hash)
		e.ArrivedAt, _ = storedtime.Parse(image.Arrived.S)
		e.ExpiresAt, _ = strconv.ParseInt(image.ExpiresAt.N, 10, 64)
		for _, f := range []struct{ name, n string }{{"battery", image.Battery.N}, {"humidity", image.Humidity.N},
			{"temperature", image.Temperature.N}} {
			d, err := model.ParseDecimal(f.n)
			if err != nil {
				return nil, err
			}
			e.Attrs = append(e.Attrs, model.Attr{Name: f.name, Value: model.NumberValue(d)})
		}
		out = append(out, storage.Change{Type: storage.Inserted, Key: key, After: e, Seq: r.DynamoDB.SequenceNumber,
			Source: r.EventSourceARN, EventID: r.EventID,
			At: model.Time(r.DynamoDB.ApproximateCreationDateTime * 1000)})
	}
	return out, nil
}

func decoding(o options) *section {
	s := &section{
		title: "A batch of the table stream, from bytes to changes",
		intro: "Inserts of readings with three measures, from the bytes that Lambda sends to changes with typed images. The standard " +
			"way is `events.DynamoDBEvent` with `encoding/json`, then `attributevalue` into a tagged struct, then the same values. " +
			"*Fixed*: all records have their attributes in one order. *Random*: every object has its members and attributes in " +
			"another order.",
		head: []string{"payload", "way", "ns a record (range)", "allocations a record", "times ours (range)"},
	}
	for _, c := range []struct {
		name    string
		records int
		order   func(int) []int
		goal    float64
	}{{"1,000 fixed", 1000, fixed, 33}, {"7,000 fixed", 7000, fixed, 33}, {"1,000 random", 1000, shuffled, 22},
		{"7,000 random", 7000, shuffled, 22}} {
		payload := streamPayload(c.records, 1000, c.order)
		var d tablestream.Decoder
		samples := race(o.rounds, o.each,
			contender{
				name: "ours", per: c.records, run: func() { keep(len(must(d.Decode(payload)).Changes)) },
			},
			contender{name: "goccy/go-json, purpose-made struct", per: c.records, run: func() {
				keep(len(must(goccyDecode(payload))))
			}},
			contender{
				name: "standard way", per: c.records,
				run: func() { keep(len(must(standardDecode(payload)))) },
			},
			contender{name: "byte loop", per: c.records, run: func() { keep(byteLoop(payload)) }},
			contender{
				name: "loop that counts quotes", per: c.records, run: func() { keep(countQuotes(payload)) },
			},
		)
		ours := samples["ours"]
		o.cpu.record = time.Duration(ours.median())
		name := fmt.Sprintf("%s, %d B a record", c.name, len(payload)/c.records)
		for _, way := range []string{"ours", "goccy/go-json, purpose-made struct", "standard way", "byte loop",
			"loop that counts quotes"} {
			w := samples[way]
			r, spread := ours.ratio(w)
			s.row(name, way, fmt.Sprintf("%s (%s)", short(w.median()), w.spread()), short(w.allocs),
				fmt.Sprintf("%s (%s)", short(r), spread))
		}
		standard, spread := ours.ratio(samples["standard way"])
		s.goal(standard >= c.goal, fmt.Sprintf("%s: ≥ %v × the standard way", c.name, c.goal), "%s × (%s)",
			short(standard), spread)
		loop, spread := samples["byte loop"].ratio(ours)
		s.goal(loop <= 1.25, c.name+": ≤ 1.25 × the byte loop", "%s × (%s)", short(loop), spread)
		s.goal(ours.allocs <= 0.05, c.name+": ≤ 0.05 allocations a record", "%s", short(ours.allocs))
	}
	s.note("The byte loop tests each byte for the end of a string and for bytes that are not allowed in one (quote, backslash, " +
		"control character): the minimum for a strict decoder that reads byte by byte. Another loop only counts quotes. Our " +
		"decoder is faster than a loop where it recognises text that it has decoded before " +
		"([16](decisions/0016-stream-decoder.md)), and it produces results that no loop produces: two keys, three decimals, a " +
		"time, a hash, about 780 bytes a record.")
	s.note("In random order, the processor cannot predict the next name: the difference is two dozen names a record, with at least " +
		"one mispredicted branch each. Tried and kept: comparing prefixes of all lengths, and hashing names, without a branch (a " +
		"tenth less); shapes for a few orders (no cost where none repeats); indexes instead of pointers between prefixes, and " +
		"dense numbers for members (two to three hundredths less in either order, at 1,000 records); comparing prefixes of a " +
		"shape by words, decoding numbers in place, comparing times by words and, on the same day, only the clock, comparing a " +
		"part of the key once (a sixth less in fixed order, a fourteenth in random order). Tried and not kept: a switch on names " +
		"(1.9 × as long); guessing only the successor (1.1 ×); together, one jump for known and unknown members, a shorter hash " +
		"of names and events that are not cleared (less than a hundredth, at 1,000 records).")
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// settle pauses between sections.
func settle() {
	runtime.GC()
	time.Sleep(200 * time.Millisecond)
}
