package config

import "go.yaml.in/yaml/v3"

// readStages replaces the stages with the file's.
func (c *Config) readStages(r *reader, v value) {
	if r.isNull(v) {
		return
	}
	c.Stages = nil
	r.each(v, func(name string, _ *yaml.Node, child value) {
		s := NewStage(name)
		r.object(child, structMembers(&s))
		c.Stages = append(c.Stages, s)
	})
}

// read reads onDemand, or the provisioned units and how they scale.
func (b *Billing) read(r *reader, v value) {
	const choice = "onDemand, or {readUnits: 25, writeUnits: 50} for provisioned capacity"
	r.wordOr(v, "onDemand", choice, structMembers(b))
}

// read reads iam, or the issuer and audience of tokens.
func (a *Access) read(r *reader, v value) {
	const choice = "iam, or {issuer: https://login.example.com, audience: [tidemark]} for JSON Web Tokens"
	r.wordOr(v, "iam", choice, structMembers(a))
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
