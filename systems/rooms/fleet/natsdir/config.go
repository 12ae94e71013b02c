package natsdir

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrConfig is wrapped by errors about an invalid configuration.
var ErrConfig = errors.New("natsdir: configuration")

const (
	defaultBucket   = "tactus"
	defaultPatience = time.Second
)

// Config configures a directory.
type Config struct {
	// URL lists the servers, separated by commas: nats://USER:PASSWORD@127.0.0.1:4222, or tls://. Servers beyond loopback
	// require TLS and credentials, because whoever can write to the directory controls the fleet. Required.
	URL string
	// Bucket is the name of the directory, of letters, digits, - and _. Default (""): "tactus".
	Bucket string
	// Replicas is the number of servers that store a new bucket: 1, 3 or 5. Default (0): 1.
	Replicas int
	// TLS configures connections beyond loopback, with client certificates if the servers require them. Default (nil): the
	// system's roots, for tls:// URLs.
	TLS *tls.Config
	// Credentials is the path of a file with NATS credentials. Default (""): user and password are in the URL.
	Credentials string
	// Patience is the timeout of a request. Default (0): 1 s.
	Patience time.Duration
	// Now is the clock of leases. Default (nil): time.Now.
	Now func() time.Time
	// Logger logs connections and failures. Default (nil): none.
	Logger *slog.Logger
}

var bucketName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Validate returns an error that wraps [ErrConfig] and names missing or invalid fields. It contains no password.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if c.URL == "" {
		bad("URL is empty: take that of Servers.Config, or of a cluster")
	}
	for _, part := range c.urls() {
		u, err := url.Parse(part)
		switch {
		case err != nil:
			bad("URL cannot be read: write nats://USER:PASSWORD@127.0.0.1:4222, or tls://")
		case u.Scheme != "nats" && u.Scheme != "tls":
			bad("URL of %q begins with %q: write nats:// or tls://", u.Host, u.Scheme)
		case u.Hostname() == "":
			bad("URL has no host: write nats://USER:PASSWORD@127.0.0.1:4222, or tls://")
		case loopback(u):
		default:
			if u.Scheme != "tls" && c.TLS == nil {
				bad("%s is not on this machine: write tls://, or set TLS; who can change what goes by owns the fleet", u.Host)
			}
			if _, has := u.User.Password(); !has && c.Credentials == "" && (c.TLS == nil || len(c.TLS.Certificates) == 0) {
				bad("%s is not on this machine: write USER:PASSWORD@ before it, set Credentials, or a certificate in TLS; who can write to the directory owns the fleet", u.Host)
			}
		}
	}
	if c.TLS != nil && c.TLS.InsecureSkipVerify {
		bad("TLS verifies nobody: give it RootCAs, and leave InsecureSkipVerify")
	}
	if !bucketName.MatchString(cmp.Or(c.Bucket, defaultBucket)) {
		bad("Bucket %q: write up to 64 letters, digits, - and _", c.Bucket)
	}
	if c.Replicas != 0 && c.Replicas != 1 && c.Replicas != 3 && c.Replicas != 5 {
		bad("Replicas is %d: write 1, 3 or 5", c.Replicas)
	}
	if c.Patience < 0 {
		bad("Patience %v is negative", c.Patience)
	}
	return errors.Join(errs...)
}

func (c Config) urls() (all []string) {
	for part := range strings.SplitSeq(c.URL, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// hosts returns the servers without credentials, for the log.
func (c Config) hosts() string {
	var all []string
	for _, part := range c.urls() {
		if u, err := url.Parse(part); err == nil {
			all = append(all, u.Host)
		}
	}
	return strings.Join(all, ", ")
}

// filled returns c with zeros replaced by their defaults.
func (c Config) filled() Config {
	c.Bucket, c.Replicas = cmp.Or(c.Bucket, defaultBucket), cmp.Or(c.Replicas, 1)
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// loopback reports whether a URL points to this machine.
func loopback(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}

// options returns the options of the connection. If one server uses TLS, all must. Servers on this machine must not
// redirect clients to other machines.
func (c Config) options() []nats.Option {
	o := []nats.Option{
		nats.Name("tactus"), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.Timeout(c.Patience), nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
	}
	encrypted := c.TLS != nil
	for _, part := range c.urls() {
		encrypted = encrypted || strings.HasPrefix(part, "tls:")
	}
	if encrypted {
		t := &tls.Config{}
		if c.TLS != nil {
			t = c.TLS.Clone()
		}
		t.MinVersion = max(t.MinVersion, tls.VersionTLS12)
		o = append(o, nats.Secure(t))
	} else {
		o = append(o, nats.IgnoreDiscoveredServers())
	}
	if c.Credentials != "" {
		o = append(o, nats.UserCredentials(c.Credentials))
	}
	return o
}
