package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reading is a line of the file and of the requests. Tenths are whole, so that DuckDB's sums are exact too.
type reading struct {
	Device      string      `json:"deviceId"`
	At          model.Time  `json:"timestamp"`
	Site        string      `json:"site"`
	Line        string      `json:"line"`
	Model       string      `json:"model"`
	Temperature json.Number `json:"temperature"`
}

// The parts of the readings that are unusual, in one of so many.
const (
	lateOne     = 100 // sent one to three hours later
	repeatedOne = 100 // sent twice
	movingOne   = 100 // of the devices: from a random time on at another site
)

// device is where a device is, and from when on it is elsewhere.
type device struct {
	id, line, model string
	site, next      int
	moves           model.Time // 0: never
}

// devices returns the fleet. A site has a hundred devices.
func (f Fleet) devices(dice *rand.Rand) []device {
	all := make([]device, f.Devices)
	sites := max(2, f.Devices/100)
	for i := range all {
		all[i] = device{id: fmt.Sprintf("d-%05d", i), line: fmt.Sprint(1 + i%5), model: fmt.Sprintf("m%d", i%7),
			site: i % sites}
		if i%movingOne == 0 {
			all[i].next = (all[i].site + 1) % sites
			all[i].moves = firstHour.Add(time.Duration(dice.Int64N(int64(f.Hours) * int64(time.Hour))))
		}
	}
	return all
}

func (d device) read(at model.Time, dice *rand.Rand) reading {
	site := d.site
	if d.moves != 0 && at >= d.moves {
		site = d.next
	}
	tenths := 150 + dice.IntN(120)
	return reading{Device: d.id, At: at, Site: fmt.Sprintf("site-%02d", site), Line: d.line, Model: d.model,
		Temperature: json.Number(fmt.Sprintf("%d.%d", tenths/10, tenths%10))}
}

// send sends the readings of each slice of time when it ends, and late ones in a later hour. It writes each
// once to a file, and returns how many were sent.
func (f Fleet) send(ctx context.Context, to deployment, path string) (sent int, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	dice := rand.New(rand.NewPCG(f.Seed, 0))
	fleet := f.devices(dice)
	later := map[int][]reading{} // by the hour in which they are sent
	known := json.NewEncoder(file)
	for hour := range f.Hours + 4 {
		due := later[hour]
		for from := time.Duration(0); hour < f.Hours && from < time.Hour; from += f.Every {
			start := firstHour.Add(time.Duration(hour)*time.Hour + from)
			for _, d := range fleet {
				r := d.read(start.Add(time.Duration(dice.Int64N(int64(f.Every)))), dice)
				if err := known.Encode(r); err != nil {
					return sent, err
				}
				if dice.IntN(repeatedOne) == 0 {
					due = append(due, r)
				}
				if dice.IntN(lateOne) == 0 {
					in := hour + 1 + dice.IntN(3)
					later[in] = append(later[in], r)
				} else {
					due = append(due, r)
				}
			}
		}
		slice := to.slice()
		begin := firstHour.Add(time.Duration(hour) * time.Hour)
		for from := begin; from < begin.Add(time.Hour); from = from.Add(slice) {
			end := from.Add(slice)
			part := lists.Filter(due, func(r reading) bool {
				return r.At < end && (r.At >= from || from == begin)
			})
			if err := to.moveClock(ctx, end.Add(-ahead).Time()); err != nil {
				return sent, err
			}
			if err := to.post(ctx, part); err != nil {
				return sent, err
			}
			sent += len(part)
		}
	}
	return sent, file.Close()
}

// ahead is how far clocks of devices are ahead, so that readings arrive before their buckets close.
const ahead = time.Minute

// deployment is what a fleet sends its readings to.
type deployment interface {
	slice() time.Duration // of event time that is sent at once: an hour has whole ones
	moveClock(ctx context.Context, to time.Time) error
	post(ctx context.Context, all []reading) error // an error unless all are stored
}

// running is the stack.
type running struct {
	*stack.Stack
	at clock.Clock
}

// slice is an hour: a move of the clock takes seconds.
func (r running) slice() time.Duration { return time.Hour }

func (r running) moveClock(ctx context.Context, to time.Time) error {
	return r.MoveClock(ctx, max(0, to.Sub(r.at.Now())))
}

func (r running) post(ctx context.Context, all []reading) error { return post(ctx, r.URL, all) }

// perRequest is how many readings a request has.
const perRequest = 500

// post sends readings, and returns an error unless all are stored.
func post(ctx context.Context, url string, all []reading) error {
	for len(all) > 0 {
		part := all[:min(len(all), perRequest)]
		all = all[len(part):]
		body, err := json.Marshal(part)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/readings", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if dropped := resp.Header.Get(httpapi.HeaderNotStored); resp.StatusCode != http.StatusOK || dropped != "" {
			return fmt.Errorf("send %d readings: status %d, %s not stored: %.300s", len(part), resp.StatusCode,
				cmp.Or(dropped, "none"), text)
		}
	}
	return nil
}
