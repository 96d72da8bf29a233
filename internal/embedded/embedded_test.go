package embedded

import "testing"

type row struct{ Name string }

func TestJSON_DecodesRows(t *testing.T) {
	if got := JSON[[]row]([]byte(`[{"name": "a"}, {"name": "b"}]`)); len(got) != 2 || got[1].Name != "b" {
		t.Errorf("got %v, want rows a and b", got)
	}
}

func TestJSON_PanicsIfTheFileDoesNotFit(t *testing.T) {
	for _, text := range []string{`{"name": "a"}`, `[{"names": "a"}]`, `[`} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: want a panic", text)
				}
			}()
			JSON[[]row]([]byte(text))
		}()
	}
}
