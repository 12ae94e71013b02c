package browsers

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
)

// all runs the command with the page of all worlds until the end of the test, and returns the address of the page.
func all(t *testing.T) (url string) {
	t.Helper()
	c := exec.Command(program(t, "examples"), "-http", "127.0.0.1:0")
	c.Dir, c.Stderr = root(t), t.Output()
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() }) // it ends the worlds, too
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		url = address.FindString(lines.Text())
	}
	return url
}

// address matches the address of a page.
var address = regexp.MustCompile(`http://\S+`)

// The page with all worlds shows each of them, and starts one when it is opened, with a bad link if that is wanted.
func TestFront(t *testing.T) {
	url := all(t)
	b := browse(t, 1280, 800, 1, false)
	faults := b.faults()
	b.do(chromedp.Navigate(url), chromedp.WaitVisible("article button"))
	if n := ask[int](b, `document.querySelectorAll("article").length`); n != len(pages.Worlds()) {
		t.Errorf("%d worlds are shown", n)
	}
	until(t, "the pictures are there", func() bool {
		return ask[bool](b, `[...document.images].filter((i) => i.getBoundingClientRect().top < innerHeight).every((i) => i.naturalWidth > 0)`)
	})
	b.picture("front")
	if wide := ask[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		t.Errorf("the page is %d pixels wider than the screen", wide)
	}
	b.do(chromedp.Click("#bad"), chromedp.Click(`button[aria-label="Play Snake"]`))
	until(t, "the world is open", func() bool { return ask[bool](b, `document.getElementById("play")?.disabled === false`) })
	if !ask[bool](b, `location.search.includes("link=bad")`) {
		t.Error("the link is not bad")
	}
	if all := faults(); len(all) > 0 {
		t.Errorf("the console has %q", all)
	}
}
