// Package webfield names the fields of the events of websites, for the kinds that declare them and
// for the sources that write them, and writes the properties of custom events as texts.
package webfield

// Fields of page views and requests.
const (
	Path     = "path"
	Referrer = "referrer" // host of the previous page, if it is of another site
	Visitor  = "visitor"
	Status   = "status" // of HTTP, as text: 200
	Method   = "method"
	Device   = "device"  // class of the user agent
	Country  = "country" // two capitals
	Region   = "region"  // of a country, as in ISO 3166-2: DE-BY
	Bytes    = "bytes"
	Duration = "duration" // milliseconds
	Source   = "source"   // the name of a search engine, network or host that visitors come from
	Channel  = "channel"  // a class of sources: Organic Search
	Browser  = "browser"
	OS       = "os"
	Screen   = "screen"   // class of the width of the window
	Language = "language" // preferred by the browser, without a region
	Hostname = "hostname" // of the page

	// Pairs of fields that are counted together.
	CountryPath   = "country_path"
	SourceEntry   = "source_entry"
	CountryEntry  = "country_entry"
	CampaignEntry = "utm_campaign_entry"
)

// Fields of sessions.
const (
	Entry  = "entry" // path of a session's first view
	Exit   = "exit"  // path of its last view
	Views  = "views"
	Bounce = "bounce" // 1 if a session has one view, else 0
)

// Fields of custom events.
const (
	Name    = "name"
	Depth   = "depth"   // percent of a page's height, scrolled to for the first time
	Reached = "reached" // percent of a page's height, scrolled to so far; a view may report it several times
)

// What other programs for web analytics have exported.
const (
	ImportedStream = "imported"        // the stream of their page views and events
	ImportedDays   = "IMPORTEDDAY"     // a kind of figures of a day, which deployments that need it declare
	VisitorsOfDay  = "visitors_of_day" // distinct on one day: the sum over days counts a visitor again on each
	ViewsOfDay     = "pageviews"       // of the same days
	EventsOfDay    = "events"          // custom events of the same days
)

// Campaign returns the fields of a campaign, named as the parameters of the links that lead to a page.
func Campaign() []string {
	return []string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"}
}

// Props returns the text fields of an event that have its properties, one in each: the event's name, which is
// pageview for a view, the name of the property and its value. Of custom events each is a dimension, so that
// the counts of a property are the sums over all fields.
func Props() []string {
	return []string{"prop1", "prop2", "prop3", "prop4", "prop5", "prop6", "prop7", "prop8"}
}
