// Package ownmachine protects the servers of a local stack, which have no sign-in, from pages of other
// websites: a browser on this machine sends their requests to the loopback address. It also says which
// files may be run.
package ownmachine

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Server returns a server whose handler gets requests of this machine only.
func Server(h http.Handler) *http.Server {
	return &http.Server{Handler: OwnMachine(h), ReadHeaderTimeout: headersWithin}
}

const headersWithin = 10 * time.Second

// OpenServer returns a server whose handler calls Allows itself, because some of its routes are for any
// website.
func OpenServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headersWithin}
}

// OwnMachine returns a handler that refuses what Refusal refuses.
func OwnMachine(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := Refusal(r); status != 0 {
			http.Error(w, why, status)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Refusal returns why a request may not be served, and the status of the response; 0 if it may. A page of
// another website can send requests here: its origin says so, or the name under which it reached the
// loopback address.
func Refusal(r *http.Request) (status int, why string) {
	if !IsLoopback(r.Host) {
		return http.StatusMisdirectedRequest, "the host of the request is not this machine: " +
			"use http://127.0.0.1 or http://localhost"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		at, err := url.Parse(origin)
		if err != nil || !IsLoopback(at.Host) {
			return http.StatusForbidden,
				"a page of another website sent this request: only pages of this machine are served"
		}
	}
	return 0, ""
}

// IsLoopback reports whether a host, with or without a port, is this machine by a name that no other site can
// have.
func IsLoopback(host string) bool {
	at := url.URL{Host: host}
	name := at.Hostname()
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// BehindToken returns a handler that serves requests whose path begins with a random text, and that text. A
// page can send a GET without an origin, so a handler whose GET has effects needs it.
func BehindToken(h http.Handler) (_ http.Handler, token string) {
	token = rand.Text()
	return http.StripPrefix("/"+token, h), token
}

// cookie has the key of OnceOpened.
const cookie = "tidemark-key"

// OnceOpened returns a handler that serves only the browser, or the program, that has opened path with ?key=
// and the returned key: other users of this machine can reach the port too. A program may send the cookie
// itself.
func OnceOpened(path string, h http.Handler) (_ http.Handler, key string) {
	key = rand.Text()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path && r.URL.Query().Get("key") == key {
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: key, Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode})
			http.Redirect(w, r, path, http.StatusSeeOther)
			return
		}
		if own, err := r.Cookie(cookie); err != nil || own.Value != key {
			http.Error(w, "open the address that the command printed, with its key", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}), key
}
