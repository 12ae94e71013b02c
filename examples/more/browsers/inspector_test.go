package browsers

import (
	"bufio"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/systems/policy"
)

// inspectorTabs are what the inspector shows, by the part of the address that says so.
var inspectorTabs = []string{
	"overview", "model", "clients", "traffic", "entities", "entities?id=2", "knows?client=1&entity=2", "knows?client=1&entity=4000000", "blame",
}

// The pages of the inspector, in a browser, under every model: each shows something, fits
// the screen of a phone, and has loaded nothing from elsewhere.
func TestInspector(t *testing.T) {
	b := browse(t, 1280, 720, 1, false)
	program := program(t, "examples/arena")
	for _, preset := range policy.Presets() {
		b.step(preset.String(), func() {
			site := inspected(b.T, program, preset)
			b.screen(1280, 720, 1, false)
			b.do(chromedp.Navigate(site))
			for _, tab := range inspectorTabs {
				b.inspect(site, tab)
			}
			b.screen(390, 844, 2, true)
			for _, tab := range inspectorTabs {
				b.inspect(site, tab)
				if policy.Is[policy.LocalSync](preset) && !strings.Contains(tab, "?") {
					b.picture("inspector-phone-" + tab)
				}
			}
			if policy.Is[policy.LocalSync](preset) {
				b.screen(1280, 720, 1, false)
				for _, tab := range []string{"overview", "clients", "traffic", "model"} {
					b.inspect(site, tab)
					time.Sleep(3 * time.Second) // rates need answers that are apart
					b.picture("inspector-" + tab)
				}
			}
		})
	}
}

// inspected starts an arena under a model, with bots, and gives its inspector's address.
func inspected(t *testing.T, program string, preset policy.Model) string {
	t.Helper()
	arena := exec.Command(program, "-inspect", "127.0.0.1:0", "-http", "none", "-headless", "-combat",
		"-clients", "4", "-npcs", "20", "-duration", "10m", "-model", preset.String())
	said, err := arena.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := arena.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = arena.Process.Kill(); _ = arena.Wait() })
	named := regexp.MustCompile(`^inspector: (http://127\.0\.0\.1:\d+/)$`)
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if found := named.FindStringSubmatch(lines.Text()); found != nil {
			go func() {
				for lines.Scan() { // so that it does not wait for somebody to read
				}
			}()
			return found[1]
		}
	}
	t.Fatal("the arena named no address")
	return ""
}

// inspect turns to a tab and looks whether it is as it should be.
func (b *browser) inspect(site, tab string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", tab)))
	type shown struct {
		Of, Text, Trouble string
		Panels, Wide      int
		Loaded            []string
	}
	var s shown
	until(b.T, tab+" is shown", func() bool {
		var err error
		s, err = chromedp.Run(b.ctx, chromedp.Evaluate[shown](`(() => {
			const page = document.getElementById("page"), trouble = document.getElementById("trouble");
			return { Of: page.dataset.of || "", Text: page.innerText, Trouble: trouble.hidden ? "" : trouble.innerText,
				Panels: page.querySelectorAll(".panel").length, Wide: document.documentElement.scrollWidth - innerWidth,
				Loaded: performance.getEntriesByType("resource").map((r) => r.name) };
		})()`))
		if err != nil {
			b.Fatal(err)
		}
		return s.Of == "#"+tab
	})
	if s.Panels == 0 || len(s.Text) < 20 || s.Trouble != "" {
		b.Errorf("%s: %d panels, %q, trouble %q", tab, s.Panels, s.Text, s.Trouble)
	}
	for _, no := range []string{"NaN", "undefined", "null", "[object", "Infinity"} {
		if strings.Contains(s.Text, no) {
			b.Errorf("%s says %s: %q", tab, no, s.Text)
		}
	}
	if s.Wide > 0 {
		b.Errorf("%s is %d pixels wider than the screen", tab, s.Wide)
	}
	for _, from := range s.Loaded {
		if !strings.HasPrefix(from, site) {
			b.Errorf("%s has loaded %s", tab, from)
		}
	}
	if len(s.Loaded) < 4 {
		b.Errorf("%s has loaded %q alone", tab, s.Loaded)
	}
}
