//go:build !js

package main

import (
	"net"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/play/internal/playtest"
	"github.com/tactusgo/tactus/systems/runner/web"
)

// A page links to the worlds that run beside it, and says how to start those that do not; what it shows follows.
func TestPageNamesOthers(t *testing.T) {
	port := func(address string) uint16 {
		_, text, err := net.SplitHostPort(address)
		n, bad := strconv.ParseUint(text, 10, 16)
		if err != nil || bad != nil {
			t.Fatal(err, bad)
		}
		return uint16(n)
	}
	other := httptest.NewServer(web.New(web.Config{Package: "examples/play", Title: "Tactus snake"}))
	defer other.Close()
	at, err := url.Parse(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	idle := port(free.Addr().String())
	_ = free.Close()
	site := httptest.NewServer(web.New(web.Config{Package: "examples/play", Title: "Tactus arena", Others: []web.Other{
		{Name: "snake", GamePort: port(at.Host) - 3, Command: "go run ./examples/snake"},
		{Name: "duel", GamePort: idle - 3, Command: "go run ./examples/duel"},
	}}))
	defer site.Close()

	b := browse(t, 1280, 720, 1, false)
	b.do(chromedp.Navigate(site.URL))
	type shown struct{ Links, Commands string }
	look := func() (s shown) {
		s, err := chromedp.Run(b.ctx, chromedp.Evaluate[shown](`(() => {
			const all = (what) => [...document.querySelectorAll("#others " + what)].map((e) => e.href || e.textContent).join(" ");
			return { Links: all("a"), Commands: all("code") };
		})()`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := shown{other.URL + "/", "go run ./examples/duel"}
	playtest.Until(t, "it shows which world runs, and which does not", func() bool { return look() == want })
	b.picture("12-others")
	other.Close()
	playtest.Until(t, "it shows that a world has ended", func() bool {
		s := look()
		return s.Links == "" && strings.Contains(s.Commands, "examples/snake")
	})
}
