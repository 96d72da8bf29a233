package local

import (
	"bytes"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// target is the device whose next batch has a fault. Its mark is once in each record of an event of
// the device: a counter that adds up stream records counts the marks.
type target struct{ mark, fault string }

// setFault sets the fault of the next batch of a device. The count begins again for another device.
func (d *delivery) setFault(device, fault string) {
	next := target{`"Keys":{"` + keys.AttrPK + `":{"S":"` + keys.SubjectPartition(model.Subject{Type: "DEVICE", ID: device}) + `"`, fault}
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
