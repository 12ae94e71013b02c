package browsers

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
)

// passing runs in a page before its scripts. It measures the frames of the page, and lets n of them pass.
const passing = `
	globalThis.took = [];
	const request = requestAnimationFrame;
	globalThis.requestAnimationFrame = (step) => request((now) => {
		const begun = performance.now();
		step(now);
		took.push(performance.now() - begun);
	});
	globalThis.bench = { pass: (n) => new Promise((done) => request(function step() { n-- > 0 ? request(step) : done(); })) };`

// TestFrames prints what a frame of a page in JavaScript costs with a hundred entities in sight, without what draws
// it: the time, and how much is left for the garbage collector, and by whom. Then it prints the time at three rates of snapshots
// on a slow machine, and the time and garbage of the pages of two worlds, with all that they draw. With FRAMES=1 it does; the part called times is short enough to have a machine alone for it.
func TestFrames(t *testing.T) {
	if os.Getenv("FRAMES") == "" {
		t.Skip("FRAMES=1 measures frames, for two minutes")
	}
	const sight = 100
	folder := frames(t)
	url, visible := newThrong(t, folder, sight, 0)
	b := browse(t, 640, 480, 1, false, chromedp.Flag("enable-precise-memory-info", true),
		chromedp.Flag("js-flags", "--min-semi-space-size=64 --max-semi-space-size=64 --max-lazy")) // nothing is collected in between
	open := func() {
		b.do(chromedp.Navigate(url), chromedp.WaitReady("title"))
		b.insist("the page is there", func(int) {}, func() bool { return len(b.await(`globalThis.bench ? [1] : []`)) == 1 })
	}
	join := func(others int64) {
		open()
		b.await(`bench.join("Ada").then((id) => [id])`)
		b.insist("everybody is there", func(int) { b.await(`bench.play(60).then(() => [])`) }, func() bool { return visible.Load() > others*9/10 })
		b.await(`bench.warm(50).then(() => [])`)
	}
	join(sight)

	b.step("times", func() {
		const n = 600
		all := b.await(fmt.Sprintf("bench.times(%d)", n))
		sums := make([]float64, n)
		for i, part := range []string{"advance", "frame", "reading", "(fixed)"} { // the last is a loop, for comparison
			took := make([]float64, n)
			for k := range took {
				took[k] = all[4*k+i]
				if i < 3 {
					sums[k] += took[k]
				}
			}
			b.Logf("%-8s %s", part, spread(took))
		}
		b.Logf("%-8s %s, with %d entities in sight", "total", spread(sums), visible.Load())
	})
	b.step("garbage", func() {
		const n = 2000
		b.await(`bench.warm(600).then(() => [])`) // until the compilers of the browser have done what they do
		before := b.await(`bench.counts()`)
		per := b.garbage("play", n)
		after := b.await(`bench.counts()`)
		by := b.allocations("play", n)
		who := slices.SortedFunc(maps.Keys(by), func(x, y string) int { return cmp.Compare(by[y], by[x]) })
		for _, at := range who[:min(len(who), 24)] {
			b.Logf("%7.1f bytes a frame, as sampled: %s", by[at]/n, at)
		}
		open() // without a game
		b.Logf("%7.1f bytes a frame in all, %.1f of them where nothing is played; %.2f snapshots came in a frame", per, b.garbage("idle", n), (after[0]-before[0])/n)
	})
	for _, others := range []int{4, sight} {
		for _, rate := range []int{20, 30, 60} {
			b.step(fmt.Sprintf("%d others, %d snapshots a second, on a slow machine", others, rate), func() {
				url, visible = newThrong(b.T, folder, others, rate)
				join(int64(others))
				b.slowDown(4)
				defer b.slowDown(1)
				const n = 600
				took := make([]float64, n)
				for k, times := range slices.Collect(slices.Chunk(b.await(fmt.Sprintf("bench.times(%d)", n)), 4)) {
					took[k] = times[0] + times[1] + times[2]
				}
				begun, busy := time.Now(), b.busy()
				b.await(`bench.play(300).then(() => [])`)
				b.Logf("%s; the main thread is busy for %.0f ms a second", spread(took), 1e3*(b.busy()-busy)/time.Since(begun).Seconds())
			})
		}
	}
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: passing}); err != nil {
		t.Fatal(err)
	}
	for _, w := range pages.Worlds() {
		if w.Name != "arena" && w.Name != "platformer" {
			continue
		}
		b.step(w.Name, func() {
			const n = 200
			b.do(chromedp.Navigate(serve(b.T, w) + "/?name=Ada"))
			until(b.T, "it plays", b.plays)
			b.await(`bench.pass(200).then(() => took.splice(0))`)
			per := b.garbage("pass", n)
			b.Logf("%s, and %.0f bytes", spread(b.await("took")), per)
			by := b.allocations("pass", n)
			who := slices.SortedFunc(maps.Keys(by), func(x, y string) int { return cmp.Compare(by[y], by[x]) })
			for _, at := range who[:min(len(who), 12)] {
				b.Logf("%7.0f bytes a frame, as sampled: %s", by[at]/n, at)
			}
		})
	}
}

// frames returns a folder with a page that plays and draws nothing.
func frames(t *testing.T) string {
	t.Helper()
	root := root(t)
	dir := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "arena.wasm"), "./examples/arena/wasm")
	build.Dir, build.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"index.html": "testdata/frames/index.html", "frames.mjs": "testdata/frames/frames.mjs", "wasm_exec.js": filepath.Join(strings.TrimSpace(string(goroot)), "lib/wasm/wasm_exec.js"),
		"bindings/arena.mjs": filepath.Join(root, "examples/arena/bindings/arena.mjs"),
	}
	client, err := filepath.Glob(filepath.Join(root, "systems/host/js/*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range client {
		files["js/"+filepath.Base(file)] = file
	}
	for name, from := range files {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, path.Dir(name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// slowDown makes the page's main thread so many times slower.
func (b *browser) slowDown(factor float64) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: factor}); err != nil {
		b.Fatal(err)
	}
}

// busy returns how many seconds the page's main thread has run tasks.
func (b *browser) busy() float64 {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, performance.Enable, performance.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	m, err := chromedp.Call(b.ctx, performance.GetMetrics, struct{}{})
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range m.Metrics {
		if x.Name == "TaskDuration" {
			return x.Value
		}
	}
	b.Fatal("the browser does not measure tasks")
	return 0
}

// await returns what a page answers.
func (b *browser) await(script string) []float64 {
	b.Helper()
	all, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	return all
}

// garbage returns how many bytes a frame adds to the heap while nothing is collected.
func (b *browser) garbage(what string, n int) float64 {
	b.Helper()
	used := func() float64 {
		u, err := chromedp.Call(b.ctx, runtime.GetHeapUsage, struct{}{})
		if err != nil {
			b.Fatal(err)
		}
		return u.UsedSize
	}
	for range 2 {
		if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, struct{}{}); err != nil {
			b.Fatal(err)
		}
	}
	before := used()
	b.await(fmt.Sprintf("bench.%s(%d).then(() => [])", what, n))
	return (used() - before) / float64(n)
}

// allocations returns the bytes that functions allocate in so many frames, as sampled.
func (b *browser) allocations(what string, n int) map[string]float64 {
	b.Helper()
	yes := true
	if _, err := chromedp.Call(b.ctx, heapprofiler.StartSampling, heapprofiler.StartSamplingParams{
		SamplingInterval: 64, IncludeObjectsCollectedByMajorGC: &yes, IncludeObjectsCollectedByMinorGC: &yes}); err != nil {
		b.Fatal(err)
	}
	b.await(fmt.Sprintf("bench.%s(%d).then(() => [])", what, n))
	r, err := chromedp.Call(b.ctx, heapprofiler.StopSampling, struct{}{})
	if err != nil {
		b.Fatal(err)
	}
	by := map[string]float64{}
	var walk func(node *heapprofiler.SamplingHeapProfileNode)
	walk = func(node *heapprofiler.SamplingHeapProfileNode) {
		f := node.CallFrame
		if node.SelfSize > 0 {
			by[fmt.Sprintf("%s %s:%d:%d", f.FunctionName, path.Base(f.URL), f.LineNumber+1, f.ColumnNumber+1)] += node.SelfSize
		}
		for _, c := range node.Children {
			walk(c)
		}
	}
	walk(r.Profile.Head)
	return by
}

// spread says what half and what nearly all are below.
func spread(all []float64) string {
	all = slices.Sorted(slices.Values(all))
	return fmt.Sprintf("%.3f ms in half of the frames, %.3f ms in 99 of 100", all[len(all)/2], all[len(all)*99/100])
}
