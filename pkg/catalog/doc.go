// Package catalog is how a domain declares itself as data: its subject types and
// its kinds of event. The engine reads these rows and never asks which domain they
// belong to; a new domain is a new list of rows.
package catalog
