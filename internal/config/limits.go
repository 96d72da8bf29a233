package config

import (
	"reflect"
	"sync"
)

var defaultLimits = sync.OnceValue(func() Limits { return Default().Limits })

// Complete returns l with the default of each limit that is zero.
func (l Limits) Complete() Limits {
	given, defaults := reflect.ValueOf(&l).Elem(), reflect.ValueOf(defaultLimits())
	for i := range given.NumField() {
		if limit := given.Field(i); limit.IsZero() {
			limit.Set(defaults.Field(i))
		}
	}
	return l
}

// Negative reports whether a limit is below zero, so that nothing could meet it.
func (l Limits) Negative() bool {
	given := reflect.ValueOf(l)
	for i := range given.NumField() {
		if given.Field(i).Int() < 0 {
			return true
		}
	}
	return false
}
