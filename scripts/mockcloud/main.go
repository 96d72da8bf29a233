// Command mockcloud prints, as JSON, the expected configuration of a deployed stage as the APIs of
// AWS return it. It uses the packages of the functions, so that deploy.py compares the deployment
// with the same definition.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mockcloud:", err)
		os.Exit(1)
	}
}

// facts are nested names and values, in the form in which deploy.py returns them.
type facts map[string]any

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: mockcloud STAGE, such as prod")
	}
	settings, err := configfile.Load(configfile.FileName, domains.Kinds()...)
	if err != nil {
		return err
	}
	kinds, err := settings.Catalog()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(settings.Stages, func(s config.Stage) bool { return s.Name == args[0] })
	if i < 0 {
		return fmt.Errorf("no stage %q in %s", args[0], configfile.FileName)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(expected(settings, kinds, &settings.Stages[i]))
}

func expected(settings *config.Config, kinds *catalog.Catalog, stage *config.Stage) facts {
	stack := "tidemark-" + stage.Name
	return facts{
		"table":     table(stage),
		"functions": functions(settings, stack),
		"mappings":  mappings(settings.Mapping, stack),
		"queues": facts{"OnFailureQueue": inSeconds(settings.Mapping.FailureRetention),
			"UndeliveredQueue": inSeconds(settings.Mapping.FailureRetention)},
		"rules": rules(kinds, stage, stack),
	}
}

func table(stage *config.Stage) facts {
	d := dynamo.Standard()
	if stage.Billing.Provisioned() {
		d.Billing = "PROVISIONED"
	}
	indexes := facts{}
	for _, i := range d.Indexes {
		indexes[i.Name] = []string{i.Partition, i.Sort}
	}
	return facts{
		"keys": []string{d.Partition, d.Sort}, "indexes": indexes, "ttl": d.TTL, "stream": d.Stream,
		"billing": d.Billing, "recovery": true, "protected": stage.Removal == config.Retain,
	}
}

func functions(settings *config.Config, prefix string) facts {
	all := facts{}
	for name, f := range stack.Settings(settings) {
		all[prefix+"-"+name] = facts{"memory": f.Memory, "timeout": inSeconds(f.Timeout),
			"runtime": "provided.al2023"}
	}
	return all
}

// mappings are the readers of the table stream, by their names in the template, with their
// functions and filters.
func mappings(m config.Mapping, stack string) facts {
	return facts{
		"Mapping":      mapping(m, stack+"-aggregate", tablekeys.AggregateFilter),
		"PurgeMapping": mapping(m, stack+"-purge", tablekeys.PurgeFilter),
	}
}

func mapping(m config.Mapping, function, filter string) facts {
	return facts{
		"function": function, "position": config.StartingPosition, "batch": m.BatchSize,
		"window": inSeconds(m.Window), "parallelization": m.Parallelization, "retries": m.MaxRetries,
		"age": inSeconds(m.MaxAge), "bisect": m.Bisect, "filter": filter,
		"responses": []string{"ReportBatchItemFailures"},
	}
}

// rules are the topics of each rule.
func rules(kinds *catalog.Catalog, stage *config.Stage, stack string) facts {
	all := facts{}
	for _, k := range kinds.Kinds {
		if slices.Contains(stage.Sources.Things, k.Subject.Name) {
			name := strings.ReplaceAll(stack, "-", "_") + "_" + k.Name
			first := cmp.Or(stage.Sources.Topic, stack)
			topic := strings.Join([]string{first, k.Subject.Path, "+", k.Path}, "/")
			for rule, level := range map[string]string{"": "", "_BATCH": "/batch", "_FROM": "/from/#"} {
				all[name+rule] = topic + level
			}
		}
	}
	return all
}

func inSeconds(d time.Duration) int { return int(d / time.Second) }
