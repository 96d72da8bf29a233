package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/ops/docs"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// The types of Grafana's schema, with the types of the panels and queries that a dashboard has: a
// field that they do not know, or of another type, does not compile. In JSON, a member of an
// enumeration is its text.
const schema = `import type { Dashboard, DataQuery, DataSourceRef, FieldConfigSource, Panel, VariableModel } from "@grafana/schema";
import type { FieldConfig, Options } from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
type Query = DataQuery & { expr: string; legendFormat: string };
type TimeSeries = Omit<Panel, "options" | "fieldConfig" | "targets"> & { type: "timeseries"; datasource: DataSourceRef; options: Options; targets: Query[];
  fieldConfig: Omit<FieldConfigSource, "defaults"> & { defaults: { custom: FieldConfig; unit?: string } } };
type JSONOf<T> = T extends string ? ` + "`${T}`" + ` : T extends object ? { [K in keyof T]: JSONOf<T[K]> } : T;
type Board = JSONOf<Omit<Dashboard, "panels" | "templating"> & { panels: TimeSeries[]; templating: { list: VariableModel[] } }>;
`

// compile returns what the compiler says about a dashboard, by its kind.
func compile(t *testing.T, dashboards map[string]string) string {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("..", "..", "..", "ui", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join(modules, "typescript", "bin", "tsc")
	if _, err := os.Stat(filepath.Join(modules, "@grafana", "schema")); err != nil {
		testenv.Missing(t, "node", "Grafana's schema is not installed: run make ui/node_modules")
	}
	dir := t.TempDir()
	files := map[string]string{"tsconfig.json": fmt.Sprintf(`{"compilerOptions": {"strict": true, "noEmit": true, "skipLibCheck": true, "module": "esnext",
		"moduleResolution": "bundler", "types": [], "paths": {"@grafana/schema": [%q], "@grafana/schema/*": [%q]}}}`,
		filepath.Join(modules, "@grafana", "schema"), filepath.Join(modules, "@grafana", "schema", "*"))}
	for name, text := range dashboards {
		files[name+".ts"] = schema + "export const dashboard: Board = " + text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := exec.Command("node", tsc, "--project", dir).CombinedOutput() // its status repeats what it printed
	return string(out)
}

func TestDashboard_HasTheTypesOfGrafanasSchema(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	dashboards := map[string]string{}
	for i := range kinds.Kinds {
		var text bytes.Buffer
		if err := docs.Dashboard(&text, &kinds.Kinds[i]); err != nil {
			t.Fatal(err)
		}
		dashboards[kinds.Kinds[i].Path] = text.String()
	}
	if said := compile(t, dashboards); said != "" {
		t.Errorf("the compiler says:\n%s", said)
	}
	one := dashboards["readings"]
	said := compile(t, map[string]string{
		"field":  strings.Replace(one, `"spanNulls"`, `"spanNull"`, 1),
		"value":  strings.Replace(one, `"displayMode": "list"`, `"displayMode": "lists"`, 1),
		"grid":   strings.Replace(one, `"h": 7`, `"height": 7`, 1),
		"target": strings.Replace(one, `"refId": "A"`, `"refID": "A"`, 1),
		"option": strings.Replace(one, `"schemaVersion"`, `"schema"`, 1),
	})
	for _, name := range []string{"field", "value", "grid", "target", "option"} {
		if !strings.Contains(said, name+".ts(") {
			t.Errorf("the mistake of %s is not found:\n%s", name, said)
		}
	}
}
