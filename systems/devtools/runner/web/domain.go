package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/internal/httpserve"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

const (
	// firstPause is the time from the first failure to obtain a certificate to the second attempt. Each further pause is twice as
	// long, up to longestPause. autocert repeats a failure without an order for one minute, so the pause is longer than that.
	firstPause   = 90 * time.Second
	longestPause = time.Hour
	// orderInterval is the time between two orders for a name, also across restarts. An order that fails is up to two failed
	// validations, and Let's Encrypt allows five per hour and name.
	orderInterval = 30 * time.Minute
	// requestTimeout is the timeout of one request to the authority, and of one that checks a name.
	requestTimeout = 30 * time.Second
	// checkPath is the folder of the URL that a domain requests from itself.
	checkPath = "/.well-known/tactus/"
	// maxNames is the largest number of names of a domain.
	maxNames = 20
)

// ErrDomain is wrapped by the errors of [NewDomain].
var ErrDomain = errors.New("web: domain")

// DomainConfig configures a [Domain]. Names is required.
type DomainConfig struct {
	// Names are the host names, such as play.example, at most 20. Certificates are ordered for these names only. Each must lead to
	// the listeners of [Domain.Serve] on the TCP ports 80 and 443.
	Names []string
	// Folder stores the certificates with their keys, and the key of the account, in a folder for each authority. Without it, each
	// start would order new certificates, of which Let's Encrypt issues five a week. Default (""): the folder tactus/certificates in
	// the user's cache.
	Folder string
	// Email is the address to which the authority writes about problems. Default (""): none.
	Email string
	// Directory is the URL of the directory of an ACME authority. Ordering from it accepts its terms of service. Default (""): that
	// of Let's Encrypt.
	Directory string
	// Client sends the requests to the authority, and to the names to check that they lead here. Default (nil): a client that trusts
	// the roots of the system.
	Client *http.Client
	// Logger receives what the operator has to do to get a certificate. Default (nil): none.
	Logger *slog.Logger
}

// Domain serves HTTPS under host names, with certificates that it obtains from an ACME authority and renews. Its methods may be
// called from any goroutine.
type Domain struct {
	config DomainConfig
	client *http.Client
	cache  autocert.Cache

	token, proof string // the path and the answer of a check
	// manager orders the certificates. A handshake asks the manager only about a name that has a certificate, so a client cannot
	// cause an order.
	manager *autocert.Manager
	// fetch returns the certificate of a name, and orders it if the cache has none.
	fetch func(name string) error

	mu    sync.Mutex
	ready map[string]bool // names with a certificate
}

// NewDomain returns a domain. The error wraps [ErrDomain].
func NewDomain(c DomainConfig) (*Domain, error) {
	bad := func(format string, v ...any) (*Domain, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{ErrDomain}, v...)...)
	}
	if len(c.Names) == 0 || len(c.Names) > maxNames {
		return bad("%d names: 1 to %d are allowed", len(c.Names), maxNames)
	}
	c.Names = slices.Clone(c.Names)
	for i, name := range c.Names {
		if err := validName(name); err != nil {
			return bad("%w", err)
		}
		c.Names[i] = strings.ToLower(name)
	}
	c.Directory = cmp.Or(c.Directory, acme.LetsEncryptURL)
	authority, err := url.Parse(c.Directory)
	if err != nil || authority.Scheme != "https" || authority.Host == "" {
		return bad("directory %.80q: write an https URL, such as %s", c.Directory, acme.LetsEncryptURL)
	}
	if c.Folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return bad("no folder for the certificates: %w: set one", err)
		}
		c.Folder = filepath.Join(cache, "tactus", "certificates")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Domain{
		config: c, client: c.Client, token: random(), proof: random(), ready: make(map[string]bool),
		cache: autocert.DirCache(filepath.Join(c.Folder, strings.ReplaceAll(authority.Host, ":", "_"))),
	}
	if d.client == nil {
		d.client = &http.Client{Timeout: requestTimeout}
	}
	d.manager = &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: d.cache, Email: c.Email,
		Client: &acme.Client{DirectoryURL: c.Directory, HTTPClient: d.client, UserAgent: "tactus"},
		HostPolicy: func(_ context.Context, host string) error {
			if !d.has(hostname.Of(host)) {
				return fmt.Errorf("%w: no certificates are ordered for %.80q", ErrDomain, host)
			}
			return nil
		},
	}
	d.fetch = func(name string) error {
		_, err := d.manager.GetCertificate(ecdsa(name))
		return err
	}
	return d, nil
}

// validName returns an error for a name for which no authority issues certificates.
func validName(name string) error {
	if err := (hostname.Guard{Hosts: []string{name}}).Validate(); err != nil {
		return err
	}
	_, err := netip.ParseAddr(name)
	labels := strings.Split(name, ".")
	switch {
	case err == nil || len(labels) < 2 || slices.Contains(labels, ""):
		return fmt.Errorf("%q is not a host name of the internet, such as play.example", name)
	case strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-.") != "":
		return fmt.Errorf("%q has other characters than letters, digits and -: write other alphabets as xn--…", name)
	}
	return nil
}

// random returns 128 random bits in hexadecimal digits.
func random() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ecdsa returns a handshake that accepts the certificate of a name. The manager would order a second one for clients without
// elliptic curves.
func ecdsa(name string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// has reports whether name is one of the domain's.
func (d *Domain) has(name string) bool { return slices.Contains(d.config.Names, strings.ToLower(name)) }

// Ready reports whether there is a certificate for a name.
func (d *Domain) Ready(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ready[strings.ToLower(name)]
}

// TLS returns a configuration with the certificates, for TCP and for other servers under the same names, such as
// webtransport.Config. Handshakes fail for other names, and for names whose certificate is not there yet. A handshake never orders
// a certificate.
func (d *Domain) TLS() *tls.Config {
	return &tls.Config{GetCertificate: d.certificate, NextProtos: []string{"http/1.1", acme.ALPNProto}, MinVersion: tls.VersionTLS12}
}

// certificate returns the certificate for a handshake, or the one that answers a challenge of the authority.
func (d *Domain) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	switch {
	case !d.has(hello.ServerName):
		return nil, fmt.Errorf("%w: %.80q is not a name of this server", ErrDomain, hello.ServerName)
	case slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}):
		return d.manager.GetCertificate(hello)
	case !d.Ready(hello.ServerName):
		return nil, fmt.Errorf("%w: there is no certificate for %.80q yet", ErrDomain, hello.ServerName)
	}
	return d.manager.GetCertificate(ecdsa(strings.ToLower(hello.ServerName)))
}

// Serve serves h by HTTPS on secure and obtains the certificates, until ctx ends; then it returns nil. On plain, it answers the
// authority. Before a name has a certificate, it also serves h there; afterwards it redirects requests to https. Requests under an IP
// address are redirected to the first name; those under localhost are not redirected. Serve closes both listeners in all cases. It
// has the limits of the function [Serve]. The error comes from a listener.
//
// Serve orders a certificate only after it has reached itself by http under the name. It retries after 90 seconds, then after
// pauses that double up to one hour. If it cannot reach itself because a router does not send packets back, it orders when the pause
// is one hour. There are at least 30 minutes between two orders for a name that fail, also after a restart.
func (d *Domain) Serve(ctx context.Context, plain, secure net.Listener, h http.Handler) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	for _, name := range d.config.Names {
		running.Go(func() { d.obtain(ctx, name) })
	}
	var errs [2]error
	running.Go(func() { defer stop(); errs[0] = httpserve.Serve(ctx, plain, d.plain(h)) })
	running.Go(func() { defer stop(); errs[1] = httpserve.ServeTLS(ctx, secure, d.TLS(), h, d.config.Logger) })
	running.Wait()
	return errors.Join(errs[:]...)
}

// plain returns the handler of requests by HTTP.
func (d *Domain) plain(h http.Handler) http.Handler {
	return d.manager.HTTPHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.ToLower(hostname.Of(r.Host))
		if !d.has(name) {
			name = d.config.Names[0]
		}
		switch {
		case r.URL.Path == checkPath+d.token:
			_, _ = io.WriteString(w, d.proof)
		case hostname.Loopback(hostname.Of(r.Host)) || !d.Ready(name):
			h.ServeHTTP(w, r)
		default:
			to := url.URL{Scheme: "https", Host: name, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
			http.Redirect(w, r, to.String(), http.StatusTemporaryRedirect)
		}
	}))
}

// obtain obtains the certificate of a name, or tries until ctx ends. autocert renews it.
func (d *Domain) obtain(ctx context.Context, name string) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longestPause) {
		wait, err := d.attempt(ctx, name, pause == longestPause)
		if err == nil {
			d.mu.Lock()
			d.ready[name] = true
			d.mu.Unlock()
			d.config.Logger.Info("there is a certificate", "url", "https://"+name)
			return
		}
		wait = max(wait, pause)
		if ctx.Err() == nil {
			d.config.Logger.Warn("no certificate yet: "+err.Error(), "name", name, "again in", wait)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// attempt takes the certificate of a name from the folder, or orders it. wait is the time until the next order may follow.
// unreached orders it also if the name does not lead here.
func (d *Domain) attempt(ctx context.Context, name string, unreached bool) (wait time.Duration, err error) {
	if !d.cached(ctx, name) {
		if wait = time.Until(d.ordered(ctx, name).Add(orderInterval)); wait > 0 {
			return wait, errors.New("the last order has failed a short time ago")
		}
		err := d.check(ctx, name)
		if _, unknown := errors.AsType[*net.DNSError](err); err != nil && (unknown || !unreached) {
			return 0, err
		}
		at, _ := time.Now().MarshalText() // never fails for this year
		if err := d.cache.Put(ctx, orderedFile(name), at); err != nil {
			return 0, fmt.Errorf("the folder for certificates cannot be written: %w", err)
		}
	}
	done := make(chan error, 1)
	go func() { done <- d.fetch(name) }() // it has a timeout, and does not follow ctx
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case err = <-done:
	}
	if err != nil {
		return orderInterval, fmt.Errorf("the authority has issued none: %w; let it reach TCP port 80 or 443 of every address to which the name leads", err)
	}
	_ = d.cache.Delete(ctx, orderedFile(name)) // it could only delay an order
	return 0, nil
}

// orderedFile is the name under which the cache has the time of the last order that was not successful.
func orderedFile(name string) string { return name + "+ordered" }

// ordered returns the time of the last order that was not successful, zero if there is none.
func (d *Domain) ordered(ctx context.Context, name string) (at time.Time) {
	if text, err := d.cache.Get(ctx, orderedFile(name)); err != nil || at.UnmarshalText(text) != nil || at.After(time.Now()) {
		return time.Time{}
	}
	return at
}

// cached reports whether the folder has a certificate of a name that is valid now.
func (d *Domain) cached(ctx context.Context, name string) bool {
	both, err := d.cache.Get(ctx, name)
	if err != nil {
		return false
	}
	c, err := tls.X509KeyPair(both, both) // a file has the key and the certificates
	return err == nil && c.Leaf.VerifyHostname(name) == nil && time.Now().Before(c.Leaf.NotAfter) && time.Now().After(c.Leaf.NotBefore)
}

// check returns an error that says what to do if http under a name does not lead to this server. It wraps a *net.DNSError if the name
// has no address.
func (d *Domain) check(ctx context.Context, name string) error {
	ctx, stop := context.WithTimeout(ctx, requestTimeout)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+name+checkPath+d.token, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := d.client.Do(r)
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("the name has no address: give it an A or AAAA record with the address of this machine: %w", dns)
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(answer.Body, int64(2*len(d.proof))))
		_ = answer.Body.Close()
	}
	if err == nil && string(text) != d.proof {
		err = fmt.Errorf("another server answers there, with status %d", answer.StatusCode)
	}
	if err != nil {
		return fmt.Errorf("http://%s does not lead to this server: point the name to this machine, and let TCP ports 80 and 443 through the firewall: %w", name, err)
	}
	return nil
}
