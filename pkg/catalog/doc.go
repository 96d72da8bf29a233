// Package catalog declares subject types and kinds of event as data. Programs declare their
// own kinds as values of Kind; the packages domains/iot and domains/web have ready ones.
package catalog
