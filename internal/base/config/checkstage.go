package config

import (
	"cmp"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

func (s *Stage) mistakes() (found Mistakes) {
	path := "stages." + s.Name
	wrong := func(field, format string, args ...any) {
		found = append(found,
			Mistake{Path: strings.TrimSuffix(path+"."+field, "."), Message: fmt.Sprintf(format, args...)})
	}
	for _, f := range s.texts() {
		if (f.text != "" || f.required) && !f.form.MatchString(f.text) {
			wrong(f.field, "%s is not %s", Clip(f.text), f.want)
		}
	}
	s.checkBilling(wrong)
	s.checkChoices(wrong)
	s.checkSources(wrong)
	s.checkWebhooks(wrong)
	s.checkFront(wrong)
	s.checkPlace(wrong)
	return append(append(found, s.Access.mistakes(path+".access")...), s.outOfBounds(path)...)
}

// checkBilling reports mistakes in what the table and the functions may use.
func (s *Stage) checkBilling(wrong func(field, format string, args ...any)) {
	b, c := s.Billing, s.Ceiling
	if b.Provisioned() && (b.ReadUnits < 1 || b.WriteUnits < 1) {
		wrong("billing", "provisioned capacity needs readUnits and writeUnits of at least 1: give both, "+
			"or write onDemand")
	}
	if a := b.Autoscale; a != (Autoscale{}) &&
		(a.ReadUnits < b.ReadUnits || a.WriteUnits < b.WriteUnits || a.Utilization == 0) {
		wrong("billing.autoscale",
			"want readUnits and writeUnits that are not below billing's, and a utilization in percent, such as 70")
	}
	if b.Provisioned() && (c.ReadUnits > 0 || c.WriteUnits > 0) {
		wrong("ceiling", "provisioned capacity is its own limit: remove readUnits and writeUnits, "+
			"or write billing: onDemand")
	}
	if c.Inbox == 1 {
		wrong("ceiling.inbox", "AWS accepts no fewer than 2 invocations at once: want 2 to 1000, or 0 for no limit")
	}
	if r := s.Reserved.Ingest; r > 0 && s.Sources.SQS && (c.Inbox == 0 || c.Inbox > r) {
		wrong("ceiling.inbox", "the queue may invoke ingest more often at once than reserved.ingest allows (%d), "+
			"and gives up messages that were not accepted ten times: want 2 to %d", r, r)
	}
}

// checkChoices reports mistakes in fields that have a few values only, or a form that is no pattern.
func (s *Stage) checkChoices(wrong func(field, format string, args ...any)) {
	if m := s.Monitoring; m != FullMonitoring && m != LeanMonitoring {
		wrong("monitoring", "%s is not known: want full, or lean for the alarms on silence and loss only",
			Clip(string(m)))
	}
	if s.Removal != Retain && s.Removal != Destroy {
		wrong("removal", "%s is not a removal policy: want retain (the table is kept) or destroy "+
			"(the table is deleted with all data)", Clip(string(s.Removal)))
	}
	if !slices.Contains(logRetentions, int(s.LogRetention/day)) || s.LogRetention%day != 0 {
		wrong("logRetention",
			"CloudWatch Logs does not support a retention of %s: want one of these numbers of days: %s",
			SpanText(s.LogRetention), daysText(logRetentions))
	}
	if a, err := mail.ParseAddress(s.AlarmMail); s.AlarmMail != "" &&
		(err != nil || a.Address != s.AlarmMail) {
		wrong("alarmMail", "%s is not a mail address: want an address such as team@example.com, or remove "+
			"the key to send no mail", Clip(s.AlarmMail))
	}
	if _, err := time.Parse(time.DateOnly, s.Archive.From); s.Archive.From != "" && err != nil {
		wrong("archive.from", "%s is not a day: want one such as 2015-01-01, or remove the key",
			Clip(s.Archive.From))
	}
}

// checkSources reports mistakes in the sources, and in the pages that read from them.
func (s *Stage) checkSources(wrong func(field, format string, args ...any)) {
	if s.Sources.Clients && !s.Sources.Senders {
		wrong("sources.clients", "the routes of clients are for senders, whose routes the stage does not "+
			"have: write senders: true, or remove clients")
	}
	if s.UI && !s.Access.ByToken() {
		wrong("ui", "the deployed pages need tokens: set access: {issuer: …, audience: […]}, or remove "+
			"the key and use tidemark ui")
	}
}

// HasReceiver reports whether the configuration names a receiver of alarms. An app may give one of its own.
func (s *Stage) HasReceiver() bool { return s.AlarmMail != "" || s.AlarmTopic != "" }

func (s *Stage) checkWebhooks(wrong func(field, format string, args ...any)) {
	h := s.Webhooks
	if h.Slack == "" && h.PagerDuty == "" {
		if h != (Webhooks{}) {
			wrong("webhooks", "there is no receiver: add slack or pagerDuty, or remove the key")
		}
		return
	}
	for field, arn := range map[string]string{"slack": h.Slack, "pagerDuty": h.PagerDuty} {
		if arn != "" && !secretARN.MatchString(arn) {
			wrong("webhooks."+field, "%s is not the ARN of a secret: want one such as "+
				"arn:aws:secretsmanager:eu-central-1:123456789012:secret:slack-AbCdEf, or remove the key", Clip(arn))
		}
	}
	if h.PagerDutyURL != "" && !webhookURL.MatchString(h.PagerDutyURL) {
		wrong("webhooks.pagerDutyUrl",
			"%s is not an address: want https://, such as https://events.eu.pagerduty.com/v2/enqueue",
			Clip(h.PagerDutyURL))
	}
	if h.Severity != "" && !slices.Contains([]string{"info", "warning", "critical"}, h.Severity) {
		wrong("webhooks.severity", "%s is not a severity: want info, warning or critical", Clip(h.Severity))
	}
}

// checkFront reports mistakes in what is in front of the HTTP API.
func (s *Stage) checkFront(wrong func(field, format string, args ...any)) {
	for _, o := range s.Origins {
		if !origin.MatchString(o) {
			wrong("cors",
				"%s is not the origin of a website: want one such as https://app.example.com, without a path; "+
					"a page over plain HTTP could be changed to send its tokens elsewhere", Clip(o))
		}
	}
	if f := s.CloudFront; f != (CloudFront{}) {
		switch byARN := webACL.MatchString(f.WebACL); {
		case !s.Sources.Pages:
			wrong("cloudFront", "it is in front of the collector, which the stage does not have: "+
				"write sources: {pages: true}, or remove the key")
		case byARN == (f.Rate != 0) || f.WebACL != "" && !byARN:
			wrong("cloudFront", "want webAcl, the ARN of a web ACL for CloudFront, or rate for a new "+
				"one, and not both")
		case !byARN && s.Region != "us-east-1":
			wrong("cloudFront.rate",
				"AWS accepts a web ACL for CloudFront in us-east-1 only: create one there and name it in "+
					"webAcl, or write region: us-east-1")
		case f.Domain != (Domain{}) && !strings.Contains(f.Domain.Certificate, ":us-east-1:"):
			wrong("cloudFront.domain", "CloudFront reads certificates in us-east-1: give the ARN of one there")
		}
	}
	for key, d := range map[string]Domain{"domain": s.Domain, "cloudFront.domain": s.CloudFront.Domain} {
		if d != (Domain{}) && (!hostName.MatchString(d.Name) || !certificateARN.MatchString(d.Certificate)) {
			wrong(key, "a domain needs a name such as api.example.com and the ARN of its certificate: "+
				"give both, or remove the key")
		}
	}
}

func (a *Access) mistakes(path string) (found Mistakes) {
	wrong := func(field, format string, args ...any) {
		found = append(found, Mistake{Path: path + field, Message: fmt.Sprintf(format, args...)})
	}
	if !a.ByToken() {
		if len(a.Audience) > 0 || a.OwnerClaim != "" || a.ScopePrefix != "" || a.Client != "" {
			wrong("", "audience, client, ownerClaim and scopePrefix are settings of tokens, "+
				"and there is no issuer: add issuer, or write access: iam")
		}
		return found
	}
	if u, err := url.Parse(a.Issuer); err != nil || u.Scheme != "https" || u.Host == "" {
		wrong(".issuer", "%s is not the URL of an issuer: want the https URL that is the iss claim of the tokens",
			Clip(a.Issuer))
	}
	if len(a.Audience) == 0 || slices.Contains(a.Audience, "") {
		wrong(".audience", "without an audience, tokens for other services would be accepted: "+
			"list the aud claims of your tokens")
	}
	if a.ScopePrefix != "" && !scope.MatchString(a.ScopePrefix) {
		wrong(".scopePrefix", "%s cannot begin a scope: want a prefix such as tidemark/", Clip(a.ScopePrefix))
	}
	if a.OwnerClaim != "" && !claimName.MatchString(a.OwnerClaim) {
		wrong(".ownerClaim", "%s is not the name of a claim: want a name such as sub or accountId",
			Clip(a.OwnerClaim))
	}
	return found
}

// MaxSweeps is how many invocations sweep at the same time at most.
const MaxSweeps = 4

// outOfBounds returns a mistake for each number of the stage that AWS does not support.
func (s *Stage) outOfBounds(path string) (found Mistakes) {
	const (
		apart    = "it is reserved from the account's concurrency; 0 reserves nothing"
		limit    = "0 sets no limit"
		offering = "the HTTP API supports these values for a route"
	)
	for _, b := range []bound{
		number(path+".reserved.ingest", s.Reserved.Ingest, 0, 100000, apart),
		number(path+".reserved.aggregate", s.Reserved.Aggregate, 0, 100000, apart),
		number(path+".reserved.query", s.Reserved.Query, 0, 100000, apart),
		number(path+".reserved.authorize", s.Reserved.Authorize, 0, 100000, apart),
		number(path+".reserved.prometheus", s.Reserved.Prometheus, 0, 100000, apart),
		number(path+".reserved.pages", s.Reserved.Pages, 0, 100000, apart),
		number(path+".ceiling.readUnits", s.Ceiling.ReadUnits, 0, 1e9, limit),
		number(path+".ceiling.writeUnits", s.Ceiling.WriteUnits, 0, 1e9, limit),
		number(path+".ceiling.inbox", s.Ceiling.Inbox, 0, 1000, limit),
		number(path+".cloudFront.rate", cmp.Or(s.CloudFront.Rate, 10), 10, 2e9, "AWS WAF supports these limits"),
		number(path+".billing.autoscale.utilization", cmp.Or(s.Billing.Autoscale.Utilization, 70), 20, 90,
			"AWS supports these percentages"),
		number(path+".ceiling.budget", s.Ceiling.Budget, 0, 1e9, limit),
		number(path+".sweeps", s.Sweeps, 1, MaxSweeps, "more would only wait for the table"),
		number(path+".throttle.rate", s.Throttle.Rate, 1, 10000, offering),
		number(path+".throttle.burst", s.Throttle.Burst, 1, 5000, offering),
		number(path+".publicThrottle.rate", s.PublicThrottle.Rate, 1, 10000, offering),
		number(path+".publicThrottle.burst", s.PublicThrottle.Burst, 1, 5000, offering),
	} {
		found = append(found, b.mistake()...)
	}
	return found
}

// logRetentions are the retentions that CloudWatch Logs supports, in days.
var logRetentions = []int{1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192,
	2557, 2922, 3288, 3653}

func daysText(days []int) string {
	return strings.Join(lists.Map(days, func(d int) string { return strconv.Itoa(d) + "d" }), ", ")
}
