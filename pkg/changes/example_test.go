package changes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tidemark-db/tidemark/pkg/changes"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// A second consumer of the table stream: it publishes each new reading. In a Lambda function, main ends with
// lambda.Start(&handler), and the table is dynamo.New(client, "tidemark").
func ExampleHandler() {
	table := memory.New(func() model.Time { return model.NewTime(start) })
	readings, err := timeseries.Open[reading](table, iot.Readings, nil)
	if err != nil {
		log.Fatal(err)
	}
	handler := changes.Handler[reading]{
		Events: readings,
		Handle: func(_ context.Context, c changes.Change[reading]) error {
			if c.Type == changes.Inserted {
				fmt.Println("publish", c.After.Device, c.After.Temperature)
			}
			return nil
		},
		Quarantine: func(_ context.Context, p changes.Poison) error {
			fmt.Println("keep", p.ID, p.Reason)
			return nil
		},
	}
	response, err := handler.Invoke(context.Background(), []byte(`{"Records": []}`))
	fmt.Println(string(response), err)
	// Output: {"batchItemFailures":[]} <nil>
}
