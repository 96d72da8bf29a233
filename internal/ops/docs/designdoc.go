// Package docs writes documents from a configuration: the design of a deployment (a design document, the
// keys of its table, the matrix of its access patterns, capacity and cost) and dashboards for Grafana, whose
// panels are queries of Tidemark's Prometheus API. The texts are templates, and keys, routes and costs come
// from the code that stores, serves and measures.
package docs

import (
	"embed"
	"fmt"
	"io"
	"path"
	"strings"
	"text/template"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

//go:embed templates
var templates embed.FS

// design is what the templates show.
type design struct {
	*config.Config
	*catalog.Catalog
	cost.Forecast
}

// at is the time in the keys of examples.
const at = model.Time(1_776_695_400_000)

var funcs = template.FuncMap{
	"kept": func(d time.Duration) string {
		if d == tier.Forever {
			return "for ever"
		}
		return fmt.Sprintf("%g d", d.Hours()/24)
	},
	"cell": func(key keys.Key) string { return "`" + key.PK + "` | `" + key.SK + "`" },
	"eventKey": func(k catalog.Kind) keys.Key {
		order := model.Order{At: at, ID: "id"}
		return keys.Event(model.EventKey{Series: k.Series("example", "stream", order), Order: order})
	},
	"latestKey": func(k catalog.Kind) keys.Key {
		return keys.Latest(k.Series("example", "stream", model.Order{}).WithoutShard())
	},
	"rowKey": func(k catalog.Kind, t tier.Tier) keys.Key {
		return keys.Row(rollup.Key{Series: k.Series("example", "stream", model.Order{}).WithoutShard(),
			Tier: t.Unit.String(), Start: t.Unit.BucketAt(at).Start})
	},
	// request returns the index and the request of an action, as cells of a table.
	"request": func(action httpapi.Action) (string, error) {
		text, _ := templates.ReadFile("templates/requests.txt")
		_, after, found := strings.Cut("\n"+string(text), "\n"+string(action)+" | ")
		if !found {
			return "", fmt.Errorf("no request for the action %s", action)
		}
		cells, _, _ := strings.Cut(after, "\n")
		return cells, nil
	},
}

// Routes returns the routes that read or write the table.
func (d design) Routes() []httpapi.Route { return httpapi.Routes(d.Catalog) }

// Costs returns the table of internal/ops/cost.
func (d design) Costs() (string, error) {
	var out strings.Builder
	err := d.Print(&out, d.Config, nil)
	return out.String(), err
}

// Write passes each document of a configuration to file, with its name. The costs are computed for load.
func Write(settings *config.Config, load cost.Forecast,
	file func(name string, write func(io.Writer) error) error) error {
	kinds, err := settings.Catalog()
	if err != nil {
		return err
	}
	all, err := template.New("").Funcs(funcs).ParseFS(templates, "templates/*.md")
	if err != nil {
		return err
	}
	names, err := templates.ReadDir("templates")
	for _, entry := range names {
		if err == nil && path.Ext(entry.Name()) == ".md" {
			err = file(entry.Name(), func(w io.Writer) error {
				return all.ExecuteTemplate(w, entry.Name(), design{
					Config: settings, Catalog: kinds, Forecast: load,
				})
			})
		}
	}
	return err
}
