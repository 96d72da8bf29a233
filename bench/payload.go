package bench

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const began = model.Time(1776693600000) // 2026-04-20T14:00:00Z

// reading is a device's event with three measures, within an hour.
func reading(device string, i int) model.Event {
	attrs := model.Attrs{
		{Name: "battery", Value: model.NumberValue(model.NewDecimal(int64(100 - i/360%100)))},
		{Name: "humidity", Value: model.NumberValue(model.MustDecimal(fmt.Sprintf("%d.%d", 40+i%9, i%10)))},
		{Name: "temperature",
			Value: model.NumberValue(model.MustDecimal(fmt.Sprintf("%d.%02d", 18+i/600%10, i%100)))},
	}
	at := began + model.Time(i)*1000
	return model.Event{
		Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: device}, Kind: "READING"},
		Order:  model.Order{At: at}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: at + 350, ExpiresAt: (at + 30*86400_000).Seconds(),
	}
}

// fixed and shuffled are orders of members and attributes: the order that Lambda writes,
// the same for all objects, or a different one for each object.
func fixed(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func shuffled(n int) []int { return rand.Perm(n) }

// attributesJSON returns an item in DynamoDB's JSON.
func attributesJSON(it item.Item, names []string, order func(int) []int) string {
	list := make([]string, 0, len(names))
	for _, i := range order(len(names)) {
		name := names[i]
		switch v := it[name]; v.Type {
		case item.S:
			list = append(list, fmt.Sprintf(`%q:{"S":%q}`, name, v.S))
		case item.N:
			list = append(list, fmt.Sprintf(`%q:{"N":%q}`, name, v.S))
		case item.B:
			list = append(list, fmt.Sprintf(`%q:{"B":%q}`, name, base64.StdEncoding.EncodeToString(v.B)))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

func storedNames(it item.Item) (names []string) {
	for _, name := range []string{"sk", "temperature", "_hash", "pk", "battery", "_arrived", "v", "humidity",
		"expiresAt"} {
		if _, there := it[name]; there {
			names = append(names, name)
		}
	}
	return names
}

// streamPayload returns a batch of n inserts by the devices, as Lambda sends it.
func streamPayload(n, devices int, order func(int) []int) []byte {
	var b strings.Builder
	b.WriteString(`{"Records":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		e := reading(fmt.Sprintf("sensor_%04d", i%devices), i/devices)
		it := item.FromEvent(&e)
		body := []string{
			fmt.Sprintf(`"ApproximateCreationDateTime":%d`, e.ArrivedAt.Seconds()),
			`"Keys":` + attributesJSON(it, []string{keys.AttrPK, keys.AttrSK}, order),
			`"NewImage":` + attributesJSON(it, storedNames(it), order),
			fmt.Sprintf(`"SequenceNumber":"40000000000007919%09d"`, i),
			`"SizeBytes":267`,
			`"StreamViewType":"NEW_AND_OLD_IMAGES"`,
		}
		members := []string{
			fmt.Sprintf(`"eventID":"%032x"`, i),
			`"eventName":"INSERT"`, `"eventVersion":"1.1"`, `"eventSource":"aws:dynamodb"`,
			`"awsRegion":"eu-central-1"`,
			`"dynamodb":` + inOrder(body, order),
			`"eventSourceARN":"arn:aws:dynamodb:eu-central-1:123456789012:table/tidemark-prod/stream/2026-04-01T08:00:00.000"`,
		}
		b.WriteString(inOrder(members, order))
	}
	b.WriteString("]}")
	return []byte(b.String())
}

func inOrder(members []string, order func(int) []int) string {
	out := make([]string, len(members))
	for to, from := range order(len(members)) {
		out[to] = members[from]
	}
	return "{" + strings.Join(out, ",") + "}"
}
