// Package doortest measures the worst requests of the doors of package limits, and compares them with their
// bounds. With TIDEMARK_DOORS=1 it writes the figures into docs/run/LIMITS.md.
package doortest
