package main

import (
	"maps"
	"net/http"
	"strings"
	"sync"
)

// requestLog counts requests by verb and resource, and by the content type of their bodies.
type requestLog struct {
	mutex  sync.Mutex
	counts map[string]int
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (l *requestLog) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		l.count(nameOf(request))
		if body := request.Header.Get("Content-Type"); request.Body != nil && body != "" {
			l.count(request.Method + " " + body)
		}
		return next.RoundTrip(request)
	})
}

func (l *requestLog) count(name string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.counts[name]++
}

func (l *requestLog) copy() map[string]int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return maps.Clone(l.counts)
}

func nameOf(request *http.Request) string {
	parts := strings.Split(request.URL.Path, "/")
	resource := parts[len(parts)-1]
	query := request.URL.Query()
	switch {
	case request.Method != http.MethodGet:
		return request.Method + " " + resource
	case query.Get("sendInitialEvents") == "true":
		return "WATCHLIST " + resource
	case query.Get("watch") != "":
		return "WATCH " + resource
	default:
		return "LIST " + resource
	}
}
