package timeseries

// Each read takes options of one type, and each option has the types of all reads that it applies
// to: an option of another read does not compile.
type (
	// PageOption is an option of Page.
	PageOption interface{ page() }
	// HistoryOption is an option of History, MergedHistory and Page.
	HistoryOption interface {
		PageOption
		history()
	}
	// CountOption is an option of Count, and of all reads of events.
	CountOption interface {
		HistoryOption
		count()
	}
	// RollupOption is an option of Rollups and RollupPage.
	RollupOption interface{ rollups() }
	// ChartOption is an option of Chart.
	ChartOption interface{ chart() }
	// TotalOption is an option of Total, Chart, Rollups and RollupPage.
	TotalOption interface {
		RollupOption
		ChartOption
		total()
	}
	// MergeOption is an option of WaitRollup, and of all reads of rollups.
	MergeOption interface {
		TotalOption
		merge()
	}
	// RangeOption is an option of all reads of a range: of events and of rollups.
	RangeOption interface {
		CountOption
		TotalOption
	}
	// LatestOption is an option of Latest, and of all reads of a range.
	LatestOption interface {
		RangeOption
		latest()
	}
	// OrderOption is an option of reads that return events or rollups in order.
	OrderOption interface {
		HistoryOption
		RollupOption
		ChartOption
	}
	// LatestByOption is an option of LatestBy.
	LatestByOption interface{ latestBy() }
	// LimitOption is an option of LatestBy, and of reads in order.
	LimitOption interface {
		OrderOption
		LatestByOption
	}
	// CursorOption is an option of Page, Rollups, RollupPage and LatestBy.
	CursorOption interface {
		PageOption
		RollupOption
		LatestByOption
	}
)

// option is every option. The type that its function returns says which reads take it.
type option func(*readOptions)

func (option) page()     {}
func (option) history()  {}
func (option) count()    {}
func (option) rollups()  {}
func (option) chart()    {}
func (option) total()    {}
func (option) merge()    {}
func (option) latest()   {}
func (option) latestBy() {}
