package config

import "go.yaml.in/yaml/v3"

// readStages replaces the stages with those of the file.
func (c *Config) readStages(r *reader, v value) {
	if r.isNull(v) {
		return
	}
	c.Stages = nil
	r.each(v, func(name string, _ *yaml.Node, child value) {
		s := stageOf(name)
		r.object(child, s.members())
		c.Stages = append(c.Stages, s)
	})
}

func (s *Stage) members() members {
	return members{
		{"account", text(&s.Account)},
		{"region", text(&s.Region)},
		{"billing", s.Billing.read},
		{"removal", text(&s.Removal)},
		{"logRetention", span(&s.LogRetention)},
		{"alarmMail", text(&s.AlarmMail)},
		{"alarmTopic", text(&s.AlarmTopic)},
		{"customerKey", boolean(func(b bool) { s.CustomerKey = b })},
		{"tracing", boolean(func(b bool) { s.Tracing = b })},
		{"monitoring", text(&s.Monitoring)},
		{"canary", boolean(func(b bool) { s.Canary = b })},
		{"reserved", section(s.Reserved.members)},
		{"access", s.Access.read},
		{"cors", list(&s.Origins)},
		{"domain", section(s.Domain.members)},
		{"permissionsBoundary", text(&s.Boundary)},
		{"throttle", section(s.Throttle.members)},
		{"sources", section(s.Sources.members)},
	}
}

func (c *Reserved) members() members {
	return members{
		{"ingest", integer(&c.Ingest)},
		{"aggregate", integer(&c.Aggregate)},
		{"query", integer(&c.Query)},
	}
}

func (t *Throttle) members() members {
	return members{
		{"rate", integer(&t.Rate)},
		{"burst", integer(&t.Burst)},
	}
}

func (d *Domain) members() members {
	return members{
		{"name", text(&d.Name)},
		{"certificate", text(&d.Certificate)},
	}
}

func (d *Sources) members() members {
	return members{
		{"things", list(&d.Things)},
		{"topic", text(&d.Topic)},
		{"pages", boolean(func(b bool) { d.Pages = b })},
		{"senders", boolean(func(b bool) { d.Senders = b })},
		{"sqs", boolean(func(b bool) { d.SQS = b })},
		{"kinesis", boolean(func(b bool) { d.Kinesis = b })},
	}
}

// read reads onDemand, or the provisioned units.
func (b *Billing) read(r *reader, v value) {
	r.wordOr(v, "onDemand", "onDemand, or {readUnits: 25, writeUnits: 50} for provisioned capacity", members{
		{"readUnits", integer(&b.ReadUnits)},
		{"writeUnits", integer(&b.WriteUnits)},
	})
}

// read reads iam, or the issuer and audience of tokens.
func (a *Access) read(r *reader, v value) {
	r.wordOr(v, "iam", "iam, or {issuer: https://login.example.com, audience: [tidemark]} for JSON Web Tokens", members{
		{"issuer", text(&a.Issuer)},
		{"audience", list(&a.Audience)},
		{"ownerClaim", text(&a.OwnerClaim)},
		{"scopePrefix", text(&a.ScopePrefix)},
	})
}

// wordOr reads a setting that is either one word, its default, or a mapping.
func (r *reader) wordOr(v value, word, want string, known members) {
	if v.node.Kind == yaml.MappingNode {
		r.object(v, known)
		return
	}
	if s, ok := r.scalar(v, want, "!!str"); ok && s != word {
		r.wrong(v, "%s is not known: want %s", clip(s), want)
	}
}
