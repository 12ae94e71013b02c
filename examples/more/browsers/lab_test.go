package browsers

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/lab"
	"github.com/tactusgo/tactus/examples/lab/match"
)

// played is how a match has gone.
type played struct {
	Error   string          `json:"error"`
	Figures []match.Figures `json:"figures"`
	Rows    []byte          `json:"rows"`    // of the server and of what each client draws
	Seconds float64         `json:"seconds"` // of computing
}

// asInGo plays ten seconds of a match on a bad link twice: in the page of the laboratory and in this process. Both have the same
// end and the same figures, which it prints.
func asInGo(b *browser, model string) {
	const frames, frame, roundTrip, jitter, loss = 625, 0.016, 0.15, 0.02, 0.02
	inPage, err := chromedp.Run(b.ctx, chromedp.Evaluate[played](fmt.Sprintf(`(async () => {
		const go = new Go(), shown = begin, rows = new Uint8Array(1 << 16);
		const lab = await new Promise(async (done) => {
			globalThis.begin = done;
			void go.run((await WebAssembly.instantiateStreaming(fetch("play.wasm"), go.importObject)).instance);
		});
		globalThis.begin = shown;
		let error = lab.start(%q);
		lab.link(%v, %v, %v, true);
		const begun = performance.now();
		for (let n = %d; n > 0 && !error; n--) error = lab.pass(%v);
		return { error: error ?? "", seconds: (performance.now() - begun) / 1000, figures: lab.figures(%v), rows: btoa(String.fromCharCode(...rows.subarray(0, lab.rows(rows)))) };
	})()`, model, roundTrip, jitter, loss, frames, frame, frames*frame), chromedp.EvalAwaitPromise))
	if err != nil || inPage.Error != "" {
		b.Fatal(err, inPage.Error)
	}
	m, err := match.New(model)
	if err != nil {
		b.Fatal(err)
	}
	m.SetLink(roundTrip, jitter, loss, true)
	begun := time.Now()
	for range frames {
		if err := m.Advance(frame); err != nil {
			b.Fatal(err)
		}
	}
	inGo := played{Seconds: time.Since(begun).Seconds(), Figures: m.Figures(frames * frame), Rows: m.Rows()}
	b.Logf("computed in %.2f s in the page, in %.2f s in Go", inPage.Seconds, inGo.Seconds)
	for n, f := range inPage.Figures {
		b.Logf("in the page: %+v", f)
		b.Logf("in Go:       %+v", inGo.Figures[n])
	}
	if !bytes.Equal(inPage.Rows, inGo.Rows) {
		b.Error("the ends differ")
	}
	if !slices.Equal(inPage.Figures, inGo.Figures) {
		b.Error("the figures differ")
	}
}

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
	for _, model := range models {
		b.step(model+" as in Go", func() { asInGo(b, model) })
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
