package query

// FigureColumn is one figure of a measure, as a column of tables and files.
type FigureColumn struct {
	Name string // as in JSON
	// Value returns an int64, or a pointer to an int64, a model.Decimal or a float64. A pointer is nil if
	// there is no such figure.
	Value func(Figures) any
}

// FigureColumns has a row for each of Figures, in the order of columns: CSV, Parquet and the tables of the
// HTTP API are made from it and StepColumns.
var FigureColumns = []FigureColumn{
	{Name: "count", Value: func(f Figures) any { return f.Count }},
	{Name: "invalid", Value: func(f Figures) any { return f.Invalid }},
	{Name: "sum", Value: func(f Figures) any { return f.Sum }},
	{Name: "min", Value: func(f Figures) any { return f.Min }},
	{Name: "max", Value: func(f Figures) any { return f.Max }},
	{Name: "avg", Value: func(f Figures) any { return f.Avg }},
	{Name: "stddev", Value: func(f Figures) any { return f.Stddev }},
	{Name: "first", Value: func(f Figures) any { return f.First }},
	{Name: "last", Value: func(f Figures) any { return f.Last }},
	{Name: "p50", Value: func(f Figures) any { return f.P50 }},
	{Name: "p95", Value: func(f Figures) any { return f.P95 }},
	{Name: "p99", Value: func(f Figures) any { return f.P99 }},
}

// StepColumns are the figures of counters and means over time, and how many values were rounded. They come
// behind all other columns.
var StepColumns = []FigureColumn{
	{Name: "increase", Value: func(f Figures) any { return f.Increase }},
	{Name: "resets", Value: func(f Figures) any { return f.Resets }},
	{Name: "rate", Value: func(f Figures) any { return f.Rate }},
	{Name: "timeMean", Value: func(f Figures) any { return f.TimeMean }},
	{Name: "coveredSeconds", Value: func(f Figures) any { return f.Covered }},
	{Name: "rounded", Value: func(f Figures) any { return f.Rounded }},
}
