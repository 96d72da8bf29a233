package collector_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/web/collector"
)

func BenchmarkAttrs(b *testing.B) {
	hit, err := collector.ParseHit(
		[]byte(`{"url":"https://s.example/a?utm_source=google&utm_medium=cpc","referrer":"https://www.google.com/","width":390}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		hit.Attrs(collector.Request{Site: "s", Address: "192.0.2.1", UserAgent: firefox, Languages: "en"},
			[]byte("salt"))
	}
}
