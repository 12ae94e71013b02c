package domain

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	arena "github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys/webtransport"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// A player in a browser joins a room over WebTransport, with the certificate of the domain.
func TestBrowser(t *testing.T) {
	program, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	at := free(t, 2)
	plain, secure := at[0], at[1]
	a := newAuthority(t, plain, secure)
	b, err := os.ReadFile(a.server)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(b)
	opened := make(chan *webtransport.Listener, 1)
	world := pages.Beside(arena.World(), func(own *web.Config) {
		own.Domain = web.DomainConfig{Client: client(roots, map[string]string{name + ":80": plain})}
		own.WebTransport = func(c web.WebTransportConfig) (web.WebTransportWire, error) {
			l, err := webtransport.Listen(webtransport.Config{Addr: c.Addr, TLS: c.TLS, Hosts: c.Hosts})
			opened <- l
			return l, err
		}
	})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		runner.Main(ctx, world, []string{"-rooms", "-http", plain, "-https", secure, "-acme", a.directory, "-domain", name, "-certificates", t.TempDir()}, t.Output(), t.Output())
	})
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	_, _ = get(t, client(a.roots, map[string]string{name + ":443": secure}), "https://"+name+"/") // now it has a certificate
	key := sha256.Sum256(leaf(t, a, secure).RawSubjectPublicKeyInfo)

	browser, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-gpu", false),
		chromedp.Flag("host-resolver-rules", fmt.Sprintf("MAP %s:443 %s", name, secure)),
		chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(key[:])),
		chromedp.Flag("webtransport-developer-mode", true), // QUIC accepts no other authorities
	)...)
	t.Cleanup(stop)
	page, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	if err := chromedp.Do(page, chromedp.Navigate("https://"+name+"/?name=Ada")); err != nil {
		t.Fatal(err)
	}
	l := <-opened
	for late := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		plays, err := chromedp.Run(page, chromedp.Evaluate[bool]("document.body.classList.contains('playing')"))
		if err != nil {
			t.Fatal(err)
		}
		if plays && l.Stats().Sessions == 1 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("the page plays: %v; WebTransport has %+v", plays, l.Stats())
		}
	}
}
