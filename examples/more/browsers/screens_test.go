package browsers

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// watching runs in both pages of TestScreens. pressed is when a key went down. moved is when a frame first showed that a player had moved
// since watch was called for its client. Both are Unix times in milliseconds.
const watching = `
	globalThis.pressed = 0;
	globalThis.moved = 0;
	const unix = () => performance.timeOrigin + performance.now();
	addEventListener("keydown", () => { pressed = unix(); }, true);
	globalThis.watch = (client) => {
		const from = own(client);
		moved = 0;
		(function look() {
			const at = own(client);
			if (at && Math.hypot(at.x - from.x, at.y - from.y) > 0.5) moved = unix();
			else requestAnimationFrame(look);
		})();
		return true;
	};`

// TestScreens prints the delay between two pages on real sockets: from a key event in one page to the first frame of the other in which
// the player moves. The pages add half of the round trip to what they send and half to what they receive. It needs FRAMES=1.
func TestScreens(t *testing.T) {
	if os.Getenv("FRAMES") == "" {
		t.Skip("FRAMES=1 measures the delay between two pages, for a minute")
	}
	url := serve(t, arena(t), "-clients", "1", "-npcs", "0")
	var both [2]*browser
	for i := range both {
		b := browse(t, 640, 480, 1, false)
		if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: witness + watching}); err != nil {
			t.Fatal(err)
		}
		b.do(chromedp.Navigate(fmt.Sprintf("%s/?name=Ada%d", url, i)))
		until(t, "it plays", b.plays)
		both[i] = b
	}
	player, viewer := both[0], both[1]
	own := ask[int](player, "game.stats.Client")
	for _, rtt := range []int{0, 100} {
		for _, b := range both {
			ask[bool](b, fmt.Sprintf(`(s => (s.value = %d, s.dispatchEvent(new Event("input")), true))(document.querySelector("input[type=range]"))`, rtt))
		}
		time.Sleep(5 * time.Second) // the clocks follow
		var delays []float64
		for n := range 40 {
			until(t, "the player rests", func() bool {
				at := ask[place](viewer, fmt.Sprintf("own(%d)", own))
				time.Sleep(200 * time.Millisecond)
				return at == ask[place](viewer, fmt.Sprintf("own(%d)", own))
			})
			ask[bool](viewer, fmt.Sprintf("watch(%d)", own))
			key := [][2]string{{"d", "KeyD"}, {"a", "KeyA"}}[n%2]
			player.press(key[0], key[1], 150*time.Millisecond)
			until(t, "the other page shows it", func() bool { return ask[float64](viewer, "moved") > 0 })
			delays = append(delays, ask[float64](viewer, "moved")-ask[float64](player, "pressed"))
		}
		slices.Sort(delays)
		t.Logf("round trip %d ms: %.0f ms in half of %d cases, %.0f to %.0f ms in all", rtt, delays[len(delays)/2], len(delays), delays[0], delays[len(delays)-1])
	}
}
