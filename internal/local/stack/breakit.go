package stack

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/web/script"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// target is the device whose next batch has a fault. Its mark is once in each record of an event of
// the device: a counter that adds up stream records counts the marks.
type target struct{ mark, fault string }

// setFault sets the fault of the next batch of a device. The count begins again for another device.
func (d *delivery) setFault(device, fault string) {
	next := target{`"Keys":{"` + keys.AttrPK + `":{"S":"` +
		keys.SubjectPartition(model.Subject{Type: "DEVICE", ID: device}) + `"`, fault}
	if old := d.target.Swap(&next); old == nil || old.mark != next.mark {
		d.counted.Store(0)
	}
}

// count returns how many records of the target a payload has.
func (d *delivery) count(payload []byte) (n int) {
	if t := d.target.Load(); t != nil {
		n = bytes.Count(payload, []byte(t.mark))
	}
	return n
}

// takeFault returns the fault that was set for a batch, once.
func (d *delivery) takeFault(payload []byte) (fault string) {
	if t := d.target.Load(); d.count(payload) > 0 && d.target.CompareAndSwap(t, &target{mark: t.mark}) {
		fault = t.fault
	}
	return fault
}

// The sample website of a local stack, whose pages send their views to the collector.
const (
	SamplePath = "/sample/"
	SampleSite = "sample"
)

//go:embed sample.html
var sampleHTML string

// samplePolicy allows the page only what the script needs, and its own style.
const samplePolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'"

// serveSample serves every page of the sample website.
func (s *Stack) serveSample(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", samplePolicy)
	fmt.Fprintf(w, sampleHTML,
		script.Snippet(s.URL, access.NewSiteKey([]byte(access.LocalSiteSecret), SampleSite)))
}
