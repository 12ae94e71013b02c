package browsers

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/lab"
)

// The laboratory runs from a folder of files under a path: every client sees the match, under each model, and a bad link does not
// end it.
func TestLab(t *testing.T) {
	dir := t.TempDir()
	if _, err := lab.Write(t.Context(), dir, t.Output()); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.StripPrefix("/some/path/", http.FileServer(http.Dir(dir))))
	t.Cleanup(s.Close)
	b := browse(t, 1280, 1000, 1, false)
	b.do(chromedp.Navigate(s.URL + "/some/path/"))
	playing := func() bool {
		return ask[bool](b, "globalThis.lab?.worlds.length === 4 && lab.worlds.every((n) => n >= 20)")
	}
	until(t, "all clients play", playing)
	models := ask[[]string](b, "[...document.getElementById('model').options].map((o) => o.value)")
	if len(models) != 6 {
		t.Fatalf("the models are %q", models)
	}
	for _, m := range models {
		b.step(m, func() {
			ask[bool](b, "lab = undefined, document.getElementById('model').value = '"+m+"', document.getElementById('model').onchange(), true")
			until(b.T, "all clients play", playing)
			until(b.T, "three seconds pass", func() bool { return ask[float64](b, "lab.passed") > 3 })
			if said := ask[string](b, "document.getElementById('status').textContent"); said != "" {
				b.Errorf("it says %q", said)
			}
		})
	}
	b.do(chromedp.Evaluate[chromedp.Void](`
		for (const [id, v] of [["rtt", 600], ["loss", 20]]) document.getElementById(id).value = v;
		document.getElementById("controls").oninput();
		document.getElementById("model").value = "LocalSync";
		document.getElementById("model").onchange()`))
	until(t, "it plays on a bad link", func() bool { return playing() && ask[float64](b, "lab.passed") > 20 })
	b.picture("lab")
	b.screen(390, 844, 2, true)
	b.picture("lab-phone")
}
