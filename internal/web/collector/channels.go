package collector

import "regexp"

// The channels of visitors.
const (
	Direct   = "Direct"
	Referral = "Referral"
	Other    = "Campaign"

	crossNetwork    = "Cross-network"
	paidShopping    = "Paid Shopping"
	paidSearch      = "Paid Search"
	paidSocial      = "Paid Social"
	display         = "Display"
	paidOther       = "Paid Other"
	organicShopping = "Organic Shopping"
	organicSocial   = "Organic Social"
	organicVideo    = "Organic Video"
	assistant       = "AI Assistant"
	organicSearch   = "Organic Search"
	email           = "Email"
	affiliates      = "Affiliates"
	audio           = "Audio"
	sms             = "SMS"
	push            = "Mobile Push Notifications"
)

// The kinds of sources, as in hosts.txt.
const (
	searchEngine  = "search"
	socialNetwork = "social"
	mailProvider  = "email"
	aiAssistant   = "ai"
)

// channelRow is a rule for visits that have all that it names; what it does not name may be anything.
type channelRow struct {
	medium  *regexp.Regexp // of the campaign, in small letters, as are its other texts
	tag     *regexp.Regexp // the source that the campaign names
	name    *regexp.Regexp // of the campaign
	kind    string         // of the source
	source  string
	click   string // the parameter with which the source marks a paid click
	channel string
}

// The texts of campaigns.
var (
	paidMedium   = regexp.MustCompile(`cp|^ppc$|^retargeting$|^paid`)
	paidTag      = regexp.MustCompile(`ads?$|^adwords$`)
	shoppingName = regexp.MustCompile(`(^|[^a-df-z])shop|shopping`) // not workshop
	mailText     = regexp.MustCompile(`e[-_ ]?mail|newsletter`)
	socialMedium = regexp.MustCompile(`^(social([- ](network|media))?|sm)$`)
	pushMedium   = regexp.MustCompile(`push$|mobile|notification`)
	smsText      = regexp.MustCompile(`^sms$`)
)

func exactly(words string) *regexp.Regexp { return regexp.MustCompile(`^(` + words + `)$`) }

// channels are the rules of Google Analytics for default channels, with the changes that Plausible documents,
// and rows for the medium organic and for affiliates. The first row that matches counts.
var channels = []channelRow{
	{name: regexp.MustCompile(`cross-network`), channel: crossNetwork},
	{name: shoppingName, medium: paidMedium, channel: paidShopping},
	{kind: searchEngine, medium: paidMedium, channel: paidSearch},
	{kind: searchEngine, tag: paidTag, channel: paidSearch},
	{source: "Google", click: "gclid", channel: paidSearch},
	{source: "Bing", click: "msclkid", channel: paidSearch},
	{kind: socialNetwork, medium: paidMedium, channel: paidSocial},
	{kind: socialNetwork, tag: paidTag, channel: paidSocial},
	{medium: exactly("display|banner|expandable|interstitial|cpm"), channel: display},
	{medium: paidMedium, channel: paidOther},
	{name: shoppingName, channel: organicShopping},
	{kind: socialNetwork, channel: organicSocial},
	{medium: socialMedium, channel: organicSocial},
	{medium: regexp.MustCompile(`video`), channel: organicVideo},
	{kind: aiAssistant, channel: assistant},
	{kind: searchEngine, channel: organicSearch},
	{kind: mailProvider, channel: email},
	{tag: mailText, channel: email},
	{medium: mailText, channel: email},
	{medium: exactly("affiliates?"), channel: affiliates},
	{medium: exactly("audio"), channel: audio},
	{tag: smsText, channel: sms},
	{medium: smsText, channel: sms},
	{medium: pushMedium, channel: push},
	{medium: exactly("organic"), channel: organicSearch},
	{medium: exactly("referral|link|app"), channel: Referral},
}

// matches reports whether a visit from a site, perhaps by a campaign, has what the row names.
func (row channelRow) matches(s site, c Campaign) bool {
	is := func(pattern *regexp.Regexp, text string) bool {
		return pattern == nil || pattern.MatchString(text)
	}
	return is(row.medium, c.Medium) && is(row.tag, c.Source) && is(row.name, c.Name) &&
		(row.kind == "" || row.kind == s.kind) && (row.source == "" || row.source == s.name) &&
		(row.click == "" || row.click == c.Click)
}
