package docs

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// own is a configuration with a kind of its user, alone.
const own = `
kinds:
  TRADE:
    path: trades
    subject: {name: MARKET, path: markets, field: market}
    measures: {price: {scale: 4}}
    dimensions: {side: {top: 2}}
    distinct: [trader]
    indexBy: trader
    ids: required
    latest: derived
    shards: 8
    tiers: {raw: 10d, hour: 50d, month: forever}
`

var load = cost.Forecast{Rate: "1/h", Batch: 1, Series: 10}

func write(t *testing.T, settings *config.Config) map[string]string {
	t.Helper()
	written := map[string]string{}
	err := Write(settings, load, func(name string, write func(io.Writer) error) error {
		var out strings.Builder
		err := write(&out)
		written[name] = out.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func TestWrite_ShowsAKindOfTheUser(t *testing.T) {
	t.Parallel()
	settings, err := configfile.Parse("tidemark.yaml", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	written := write(t, settings)
	for name, wants := range map[string][]string{
		"design.md": {"## TRADE", "Events of markets (`MARKET`, id in `market`), ordered by time and id", "Ids are required", "shards of a subject: 8", "`price` to 4 digits", "`side` 2",
			"| distinct counts | `trader` |", "| found by | `trader` over all subjects |", "| events are kept | 10 d |", "| rollups by hour | kept 50 d,", "| rollups by month | kept for ever,", "| prod | "},
		"table.md": {"| event of TRADE | `MARKET#example#", "`EVENT#TRADE#stream#2026-04-20T14:30:00.000Z#id` | 10 d |", "| latest item of TRADE | ",
			"| TRADE by month | `MARKET#example` | `AGG#month#TRADE#stream#2026-04` | for ever |"},
		"access-patterns.md": {"| TRADE | by-value | `GET /v1/trades/trader/{value}` | gsi2 | Query by the value", "| TRADE | history | `GET /v1/markets/{id}/trades` | the table | Query"},
		"capacity.md":        {"10 series at 1/h", "\nTRADE "},
	} {
		for _, want := range wants {
			if !strings.Contains(written[name], want) {
				t.Errorf("%s has no %q:\n%s", name, want, written[name])
			}
		}
	}
	if len(written) != 4 || strings.Contains(written["design.md"], "READING") {
		t.Errorf("%d documents, or one of kinds that are not declared", len(written))
	}
}

// Every action of the shipped kinds, sessions among them, has its request.
func TestRequests_NameEveryAction(t *testing.T) {
	t.Parallel()
	grouped, err := configfile.Parse("tidemark.yaml", []byte("kinds: {READING: {groups: [site]}}"),
		domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := grouped.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	request := funcs["request"].(func(httpapi.Action) (string, error))
	for _, r := range append(httpapi.Routes(kinds), httpapi.Route{Action: httpapi.ReadLatestBy}) {
		if cells, err := request(r.Action); err != nil || strings.Count(cells, " | ") != 1 {
			t.Errorf("%s: %q, %v", r.Action, cells, err)
		}
	}
	if _, err := request("dance"); err == nil {
		t.Error("an action without a request has one")
	}
}

func TestWrite_ReturnsErrors(t *testing.T) {
	t.Parallel()
	settings, err := configfile.Parse("tidemark.yaml", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	if err := Write(settings, load, func(string, func(io.Writer) error) error { return full }); !errors.Is(err,
		full) {
		t.Errorf("a file that cannot be written: %v", err)
	}
	wrong := cost.Forecast{Rate: "often"}
	err = Write(settings, wrong, func(_ string, write func(io.Writer) error) error { return write(io.Discard) })
	if err == nil || !strings.Contains(err.Error(), "--rate") {
		t.Errorf("a wrong rate: %v", err)
	}
	settings.Kinds = append(settings.Kinds, settings.Kinds...)
	if err := Write(settings, load, nil); err == nil {
		t.Error("kinds that do not fit each other were written")
	}
}
