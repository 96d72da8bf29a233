package collector

// The channels of visitors.
const (
	Direct   = "Direct"
	Referral = "Referral"
	Other    = "Campaign"

	paidSearch    = "Paid Search"
	paidSocial    = "Paid Social"
	paidOther     = "Paid Other"
	email         = "Email"
	affiliates    = "Affiliates"
	organicSocial = "Organic Social"
	organicSearch = "Organic Search"
	assistant     = "AI Assistant"
)

// The kinds of sources, as in hosts.txt.
const (
	searchEngine  = "search"
	socialNetwork = "social"
	mailProvider  = "email"
	aiAssistant   = "ai"
)

// channelRow is a rule for campaigns of some media and sources of a kind.
type channelRow struct {
	media   []string // nil: any
	kind    string   // "": any
	channel string
}

// paidMedia are the media of campaigns that are paid by the click.
var paidMedia = []string{
	"cpc", "ppc", "paid", "paidsearch", "paid-search", "paidsocial", "paid-social", "retargeting",
}

// channels decide by the medium of a campaign and the kind of the source. The first row that matches counts.
var channels = []channelRow{
	{media: paidMedia, kind: searchEngine, channel: paidSearch},
	{media: paidMedia, kind: socialNetwork, channel: paidSocial},
	{media: paidMedia, channel: paidOther},
	{media: []string{"display", "banner", "expandable", "interstitial", "cpm"}, channel: paidOther},
	{media: []string{"email", "e-mail", "e_mail", "e mail", "newsletter"}, channel: email},
	{media: []string{"affiliate", "affiliates"}, channel: affiliates},
	{
		media:   []string{"social", "social-network", "social-media", "sm", "social network", "social media"},
		channel: organicSocial,
	},
	{media: []string{"organic"}, channel: organicSearch},
	{media: []string{"referral", "link", "app"}, channel: Referral},
	{kind: searchEngine, channel: organicSearch},
	{kind: socialNetwork, channel: organicSocial},
	{kind: mailProvider, channel: email},
	{kind: aiAssistant, channel: assistant},
}
