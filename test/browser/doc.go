// Package browser tests the script of websites, and Plausible's own tracker, in real browsers
// against a local stack: Chromium with playwright, and Firefox with a page that acts itself.
package browser
