package main

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/test/loggers"
)

// doubleCounted prints and returns how many rows have the values that counting redeliveries would
// give. The file lists only buckets where these differ.
func doubleCounted(path string, rows []rollup.Row) (met int, err error) {
	if path == "" {
		return 0, nil
	}
	twice, err := loggers.ReadOracle(path)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		if wrong, listed := twice[rows[i].Key]; listed && len(loggers.Differences(&rows[i], wrong)) == 0 {
			met++
		}
	}
	fmt.Printf("double-counted values: %d of %d\n", met, len(twice))
	return met, nil
}
