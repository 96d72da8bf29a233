package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Validate returns all mistakes of values as Mistakes: a value out of bounds, a retention policy that would
// lose data, an invalid kind. It is nil for configurations that Load, Parse and Default return.
func (c *Config) Validate() error { return c.Mistakes().Err() }

// Mistakes returns the mistakes of values, without places.
func (c *Config) Mistakes() Mistakes {
	found := Mistakes{}
	for _, b := range c.bounds() {
		found = append(found, b.mistake()...)
	}
	if l := c.Limits; l.Decompressed < l.Body {
		found = append(found, Mistake{Path: "limits.decompressed", Message: fmt.Sprintf(
			"%s is less than limits.body, %s, so that uncompressed requests would be rejected: raise it",
			SizeText(l.Decompressed), SizeText(l.Body))})
	}
	if t := c.Collector.Trust; t != TrustNone && t != TrustCloudFront && t != TrustProxy {
		found = append(found, Mistake{Path: "collector.trust", Message: fmt.Sprintf(
			"%s is not known: want none, or cloudfront or proxy for what sends the origin secret", Clip(string(t)))})
	}
	fronted := slices.ContainsFunc(c.Stages, func(s Stage) bool { return s.CloudFront != CloudFront{} })
	if c.Collector.Regions && c.Collector.Trust != TrustCloudFront && !fronted {
		found = append(found,
			Mistake{Path: "collector.regions", Message: "no header names a region while no distribution is trusted: " +
				"write trust: cloudfront, or cloudFront in a stage"})
	}
	for _, d := range c.Collector.Domains {
		if d == "" || strings.ContainsAny(d, "*/: ") {
			found = append(found, Mistake{Path: "collector.domains", Message: fmt.Sprintf(
				"%s is not the id of a website, such as shop.example.com: "+
					"each website is listed, there are no patterns", Clip(d))})
		}
	}
	found = append(found, c.Collector.Exclude.mistakes()...)
	for _, s := range c.Stages {
		found = append(found, s.mistakes()...)
	}
	found = append(found, c.topicMistakes()...)
	found = append(found, c.sourceMistakes()...)
	return append(found, c.kindMistakes()...)
}

// mistakes reports exclusions that would exclude nothing.
func (e Exclude) mistakes() (found Mistakes) {
	add := func(member, message string) {
		found = append(found, Mistake{Path: "collector.exclude." + member, Message: message})
	}
	for _, text := range e.Addresses {
		if _, err := ParseAddresses(text); err != nil {
			add("addresses", err.Error())
		}
	}
	for _, code := range e.Countries {
		if len(code) != 2 || strings.ToUpper(code) != code {
			add("countries", Clip(code)+" is not the code of a country, such as DE")
		}
	}
	for _, pattern := range e.Paths {
		if !strings.HasPrefix(pattern, "/") {
			add("paths", Clip(pattern)+" is not the path of a page: begin it with /, such as /admin/**")
		}
	}
	for _, host := range e.Referrers {
		if host == "" || strings.ToLower(host) != host || strings.ContainsAny(host, "*/: ") {
			add("referrers", Clip(host)+
				" is not a host in small letters, such as spam.example, which has its subdomains")
		}
	}
	return found
}

// topicMistakes reports stages that may be deployed to one account and region, and have one topic: the rules
// of each would store every message.
func (c *Config) topicMistakes() (found Mistakes) {
	either := func(a, b string) bool { return a == b || a == "" || b == "" }
	for i, s := range c.Stages {
		topic := func(o Stage) bool {
			return len(o.Sources.Things) > 0 && len(s.Sources.Things) > 0 && s.Sources.Topic != "" &&
				o.Sources.Topic == s.Sources.Topic &&
				either(o.Account, s.Account) && either(o.Region, s.Region)
		}
		if j := slices.IndexFunc(c.Stages[:i], topic); j >= 0 {
			found = append(found, Mistake{Path: "stages." + s.Name + ".sources.topic", Message: fmt.Sprintf(
				"stage %s has the topic %s too, so both would store every message: "+
					"give each its own, or remove both keys",
				c.Stages[j].Name, Clip(s.Sources.Topic))})
		}
	}
	return found
}

// kindMistakes returns the mistakes of the default retention policy and of the catalog.
func (c *Config) kindMistakes() (found Mistakes) {
	effective := *c
	if m := catalog.CheckRetention(c.Retention); m != nil {
		found = append(found, Mistake{Path: m.Field, Message: m.Message})
		effective.Retention = tier.Standard() // so that the mistake is not repeated for each kind
	}
	cat, err := effective.Catalog()
	if err != nil {
		return append(found, catalogMistakes(err)...)
	}
	for i := range cat.Kinds {
		found = append(found, reservedNames(&cat.Kinds[i])...)
	}
	found = append(found, c.sharedValues(cat)...)
	for _, s := range typesAlone(cat) {
		for _, m := range reservedNames(&catalog.Kind{Subject: s}) {
			m.Path = strings.Replace(m.Path, "kinds..subject", Join("subjects", s.Name), 1)
			found = append(found, m)
		}
	}
	return found
}

// sharedValues returns a mistake for each constraint that would tell an owner which values others have.
func (c *Config) sharedValues(cat *catalog.Catalog) (found Mistakes) {
	if !slices.ContainsFunc(c.Stages, func(s Stage) bool { return s.Access.OwnerClaim != "" }) {
		return nil
	}
	for _, s := range cat.Subjects() {
		path := Join("subjects", s.Name) + ".profile.unique."
		if own := cat.SubjectKinds(s); len(own) > 0 {
			path = "kinds." + own[0].Name + ".subject.profile.unique."
		}
		for _, u := range cat.Profile(s.Name).Unique {
			if !u.PerOwner {
				found = append(found, Mistake{Path: path + u.Name, Message: "a stage with ownerClaim " +
					"would tell an owner which values the subjects of others have, and let the owner " +
					"take them: add perOwner: true"})
			}
		}
	}
	return found
}

// catalogMistakes splits the joined error of a catalog.
func catalogMistakes(err error) (found Mistakes) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return Mistakes{{Path: "kinds", Message: err.Error()}}
	}
	for _, e := range joined.Unwrap() {
		m := Mistake{Path: "kinds", Message: e.Error()}
		if at := (*catalog.Mistake)(nil); errors.As(e, &at) {
			m = Mistake{Path: strings.TrimPrefix("kinds."+at.Kind+"."+at.Field, "kinds.."), Message: at.Message}
		}
		found = append(found, m)
	}
	return found
}

// reserved returns a mistake for each name of a kind that Tidemark's own items use.
func reservedNames(k *catalog.Kind) (found Mistakes) {
	if reserved.Type(k.Subject.Name) {
		found = append(found, Mistake{Path: "kinds." + k.Name + ".subject.name", Message: fmt.Sprintf(
			"%q is a partition prefix of Tidemark's own items: choose another name", k.Subject.Name)})
	}
	for _, f := range k.Fields() {
		if keys.Reserved(f.Name) {
			found = append(found, Mistake{Path: "kinds." + k.Name + "." + f.Path, Message: fmt.Sprintf(
				"%q is an attribute of Tidemark's own items: choose another name", f.Name)})
		}
	}
	if k.Subject.Profile == nil {
		return found
	}
	for _, f := range k.Subject.Profile.Fields() {
		path := "kinds." + k.Name + ".subject.profile." + f.Path
		if reserved.InProfile(f.Name) {
			found = append(found, Mistake{Path: path, Message: fmt.Sprintf(
				"%q is an attribute of Tidemark's own items: choose another field", f.Name)})
		}
		if meant := misspelt(f, k.Subject.Profile); meant != "" {
			found = append(found, Mistake{Path: path, Message: fmt.Sprintf(
				"%q is not in fields%s: correct it, or declare it there", f.Name, names.Meant(meant))})
		}
	}
	return found
}

// misspelt returns the declared field that an index of several fields seems to mean by another name; "" if it
// Means none.
func misspelt(f catalog.Field, p *catalog.Profile) string {
	declared := lists.Map(p.Declared, func(d catalog.ProfileField) string { return d.Name })
	further := strings.HasSuffix(f.Path, ".and") || strings.HasSuffix(f.Path, ".sort")
	if !further || slices.Contains(declared, f.Name) {
		return ""
	}
	return names.Closest(f.Name, declared)
}
