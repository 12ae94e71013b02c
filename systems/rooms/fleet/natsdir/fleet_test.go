package natsdir

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

func save(t *testing.T, d *Directory, key, value string, revision uint64, lease time.Duration) uint64 {
	t.Helper()
	revision, err := d.Save(t.Context(), key, []byte(value), revision, lease)
	if err != nil {
		t.Fatalf("save %s: %v", key, err)
	}
	return revision
}

// Two processes see each other's records. The records of a dead process disappear for the other one when its lease ends.
func TestTwoProcesses(t *testing.T) {
	c := embedded(t, 1).Config()
	one, _ := opened(t, c)
	kept := save(t, one, "room.a", "1", 0, 0)
	two, clock := opened(t, c)
	if all, err := two.List(t.Context(), ""); err != nil || len(all) != 1 || all[0].Revision != kept {
		t.Fatalf("who comes later has %+v, %v", all, err)
	}
	told, err := two.Watch(t.Context(), "process.")
	if err != nil {
		t.Fatal(err)
	}
	a := save(t, one, "process.one", "1", 0, 10*time.Second)
	if r := <-told; r.Key != "process.one" || r.Revision != a {
		t.Fatalf("%+v", r)
	}
	if _, err := two.Save(t.Context(), "room.a", []byte("2"), 0, 0); !errors.Is(err, fleet.ErrConflict) {
		t.Fatal(err)
	}
	b := save(t, two, "room.a", "2", kept, 0)
	if r, err := one.Load(t.Context(), "room.a"); err != nil || r.Revision != b {
		t.Fatalf("%+v, %v", r, err)
	}
	one.Close()
	clock.turn(10*time.Second - 1)
	two.expire(t.Context())
	if r, err := two.Load(t.Context(), "process.one"); err != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	clock.turn(1)
	if r := <-told; r.Key != "process.one" || !r.Gone || r.Revision <= a {
		t.Fatalf("%+v", r)
	}
	if _, err := one.Load(t.Context(), "process.one"); !errors.Is(err, rooms.ErrUnavailable) && err != nil {
		t.Fatal(err)
	}
}

// A process that has not received a renewal yet does not end the lease, and then receives the renewal.
func TestRenewedIsNotEnded(t *testing.T) {
	c := embedded(t, 1).Config()
	one, _ := opened(t, c)
	a := save(t, one, "process.one", "1", 0, 10*time.Second)
	b := save(t, one, "process.one", "2", a, 10*time.Second)
	two, clock := opened(t, c)
	two.cache = newCache()
	two.cache.update(fleet.Record{Key: "process.one", Revision: a}, 10*time.Second, clock.get())
	clock.turn(time.Hour)
	two.expire(t.Context())
	if r, ok := two.cache.load("process.one"); !ok || r.Revision != b {
		t.Fatalf("%+v", r)
	}
	if r, err := one.Load(t.Context(), "process.one"); err != nil || r.Revision != b {
		t.Fatalf("%+v, %v", r, err)
	}
}

// A process that missed a removal for so long that the stream has forgotten it removes the record too.
func TestWhatWasMissedGoes(t *testing.T) {
	d, clock := opened(t, embedded(t, 1).Config())
	told, err := d.Watch(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	d.cache.update(fleet.Record{Key: "room.ghost", Revision: 1}, 0, clock.get())
	if r := <-told; r.Key != "room.ghost" || r.Gone {
		t.Fatalf("%+v", r)
	}
	d.reconnected() // all is read anew
	select {
	case r := <-told:
		if r.Key != "room.ghost" || !r.Gone {
			t.Fatalf("%+v", r)
		}
	case <-time.After(patience):
		t.Fatal("the ghost stays")
	}
}

// If no server answers, the directory returns an error and keeps its cached records.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	s := embedded(t, 1)
	d, clock := opened(t, s.Config())
	a := save(t, d, "process.one", "1", 0, 10*time.Second)
	s.Close()
	if _, err := d.Save(t.Context(), "process.one", []byte("2"), a, 0); !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatal(err)
	}
	if err := d.Remove(t.Context(), "process.one", a); !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatal(err)
	}
	for range 3 {
		if r, err := d.Load(t.Context(), "process.one"); err != nil || r.Revision != a {
			t.Fatalf("%+v, %v", r, err)
		}
		if _, err := d.Load(t.Context(), "process.two"); !errors.Is(err, rooms.ErrUnavailable) {
			t.Fatalf("nobody knows whether it is there: %v", err)
		}
		if down, quiet := d.health.down(clock.get()); !down || !quiet {
			t.Fatal("the next one would wait again for who did not answer this one")
		}
		clock.turn(time.Hour)
		d.expire(t.Context())
	}
	if all, err := d.List(t.Context(), ""); err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
}

// A request without a connection fails with that reason, not because of a buffer limit. The log says so once.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	s := embedded(t, 1)
	c, log := s.Config(), new(lines)
	c.Logger = slog.New(slog.NewTextHandler(log, nil))
	d, _ := opened(t, c)
	s.Close()
	within(t, "the connection is lost", func() bool { return !d.conn.IsConnected() })
	for range 2 {
		if _, err := d.Save(t.Context(), "process.one", nil, 0, 0); !errors.Is(err, rooms.ErrUnavailable) || !errors.Is(err, errNoServer) || errors.Is(err, nats.ErrReconnectBufExceeded) {
			t.Error(err)
		}
	}
	if n := len(log.all()); n != 1 {
		t.Errorf("%d lines: %q", n, log.all())
	}
}

// Open logs why it tries again, without the password.
func TestOpenLogs(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	log := &lines{wrote: stop}
	if _, err := Open(ctx, Config{URL: "nats://user:secret@127.0.0.1:1", Logger: slog.New(slog.NewTextHandler(log, nil))}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if all := log.all(); len(all) != 1 || !strings.Contains(all[0], "127.0.0.1:1") || strings.Contains(all[0], "secret") {
		t.Errorf("%q", all)
	}
}

// lines is a log in memory.
type lines struct {
	wrote func() // called after each line; may be nil

	mu   sync.Mutex
	text []string
}

// Write implements [io.Writer].
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.text = append(l.text, string(b))
	l.mu.Unlock()
	if l.wrote != nil {
		l.wrote()
	}
	return len(b), nil
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.text)
}

// Servers on loopback require the password, and no error contains it.
func TestPassword(t *testing.T) {
	s := embedded(t, 1)
	for _, password := range []string{"", ":wrong"} {
		c := s.Config()
		c.URL = strings.Replace(c.URL, ":"+s.password, password, 1)
		ctx, stop := context.WithTimeout(t.Context(), patience)
		_, err := Open(ctx, c)
		stop()
		if !errors.Is(err, ErrConfig) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%q: %v", password, err)
		}
	}
}

// Servers on other machines require encryption and credentials.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		Config
		want string // part of the error, "" for none
	}{
		{Config{URL: "nats://127.0.0.1:4222"}, ""},
		{Config{URL: "nats://localhost:4222,nats://[::1]:4223", Replicas: 3}, ""},
		{Config{URL: "tls://u:secret@nats.example.com:4222"}, ""},
		{Config{URL: "tls://nats.example.com:4222", Credentials: "fleet.creds"}, ""},
		{Config{URL: "nats://nats.example.com:4222", TLS: &tls.Config{Certificates: make([]tls.Certificate, 1)}}, ""},
		{Config{}, "URL is empty"},
		{Config{URL: "http://127.0.0.1"}, "write nats:// or tls://"},
		{Config{URL: "nats://:4222"}, "no host"},
		{Config{URL: "nats://u:secret@nats.example.com:4222"}, "write tls://"},
		{Config{URL: "nats://127.0.0.1:4222,nats://u:secret@10.0.0.1:4222"}, "write tls://"},
		{Config{URL: "nats://u:secret@127.0.0.1.example.com:4222"}, "write tls://"},
		{Config{URL: "tls://nats.example.com:4222"}, "write USER:PASSWORD@"},
		{Config{URL: "tls://u@nats.example.com:4222"}, "write USER:PASSWORD@"},
		{Config{URL: "tls://u:secret@nats.example.com:4222", TLS: &tls.Config{InsecureSkipVerify: true}}, "verifies nobody"},
		{Config{URL: "nats://u:secret@127.0.0.1:x"}, "cannot be read"},
		{Config{URL: "nats://127.0.0.1:4222", Bucket: "a.b"}, "Bucket"},
		{Config{URL: "nats://127.0.0.1:4222", Replicas: 2}, "Replicas"},
		{Config{URL: "nats://127.0.0.1:4222", Patience: -1}, "Patience"},
	} {
		err := c.Validate()
		if (c.want == "") != (err == nil) || err != nil && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v, want %q", c.URL, err, c.want)
		}
		if err != nil {
			if _, opened := Open(t.Context(), c.Config); !errors.Is(opened, ErrConfig) {
				t.Errorf("%s opens: %v", c.URL, opened)
			}
		}
	}
	for _, e := range []Embedding{{Servers: 2}, {Servers: -1}, {Port: -1}, {Port: 65536}} {
		if s, err := Embedded(e); !errors.Is(err, ErrConfig) {
			s.Close()
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// A bucket that was made for something else is left alone.
func TestBucketOfSomebodyElse(t *testing.T) {
	s := embedded(t, 1)
	d, _ := opened(t, s.Config())
	theirs := d.stream.CachedInfo().Config
	theirs.Name, theirs.Subjects, theirs.MaxMsgsPerSubject = "KV_theirs", []string{"$KV.theirs.>"}, 5
	if _, err := d.js.CreateStream(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	c := s.Config()
	c.Bucket = "theirs"
	if _, err := Open(t.Context(), c); !errors.Is(err, ErrConfig) {
		t.Fatal(err)
	}
}

// Of three servers in one process, one may end.
func TestOneOfThreeEnds(t *testing.T) {
	s := embedded(t, 3)
	d, _ := opened(t, s.Config())
	if got := d.stream.CachedInfo().Config.Replicas; got != 3 {
		t.Fatalf("%d replicas", got)
	}
	a := save(t, d, "room.a", "1", 0, 0)
	s.all[0].Shutdown()
	s.all[0].WaitForShutdown()
	within(t, "writes go on", func() bool {
		_, err := d.Save(t.Context(), "room.b", []byte("1"), 0, 0)
		return err == nil || errors.Is(err, fleet.ErrConflict) // it was written, and the answer was lost
	})
	if r, err := d.Load(t.Context(), "room.a"); err != nil || r.Revision != a {
		t.Fatalf("%+v, %v", r, err)
	}
}
