package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

// hashTime is the virtual time of hashing a password.
const hashTime = 100 * time.Millisecond

// newCrowd is a lab in the virtual time of a bubble.
func newCrowd(t *testing.T) *lab {
	return newLab(t, func(c *serviceConfig) {
		c.perMinute, c.accountPerMinute, c.now = 30, 3, nil
		c.find = func(users []user, name, password string) (user, bool) {
			time.Sleep(hashTime)
			if !slices.ContainsFunc(users, func(u user) bool { return u.name == name }) {
				return user{}, false // without the time that it really takes
			}
			return find(users, name, password)
		}
	})
}

// try logs in from an address, and returns the answer and how long it took.
func (l *lab) try(t *testing.T, from, name, password string) (status int, retry, took time.Duration) {
	t.Helper()
	body, err := json.Marshal(login{name, password})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	status, _, header := l.post(t, string(body), func(r *http.Request) { r.RemoteAddr = net.JoinHostPort(from, "5000") })
	seconds, _ := strconv.Atoi(header.Get("Retry-After"))
	if (seconds > 0) != (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		t.Errorf("%d with the header %v", status, header)
	}
	return status, time.Duration(seconds) * time.Second, time.Since(start)
}

// elsewhere is one of many addresses.
func elsewhere(i int) string { return netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}).String() }

// Two hundred bad logins, each from another network and with another name, delay nobody for long. All are answered within a
// bounded time. A player at a familiar place is served next, and another one gets in by retrying when told.
func TestBadLoginsHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newCrowd(t)
		if status, _, _ := l.try(t, "192.0.2.1", "alice", "swordfish"); status != http.StatusOK {
			t.Fatal(status)
		}
		for round := range 5 {
			var crowd sync.WaitGroup
			for i := range 200 {
				crowd.Go(func() {
					status, _, took := l.try(t, elsewhere(200*round+i), fmt.Sprint("nobody", i), "guess")
					if status != http.StatusUnauthorized && status != http.StatusServiceUnavailable || took > maxWait+hashTime {
						t.Errorf("a bad login is answered %d after %v", status, took)
					}
				})
			}
			time.Sleep(10 * time.Millisecond)
			if status, _, took := l.try(t, "192.0.2.1", "alice", "swordfish"); status != http.StatusOK || took > 2*hashTime {
				t.Errorf("a player at home is answered %d after %v", status, took)
			}
			status, retry, took := l.try(t, elsewhere(10_000+round), "bob", "swordfish")
			if took > maxWait+hashTime {
				t.Errorf("a guest is answered after %v", took)
			}
			if time.Sleep(retry); status != http.StatusOK {
				status, _, took = l.try(t, elsewhere(10_000+round), "bob", "swordfish")
			}
			if status != http.StatusOK || took > maxWait+hashTime {
				t.Errorf("a guest who comes again is answered %d after %v", status, took)
			}
			crowd.Wait()
			time.Sleep(30 * time.Second)
		}
	})
}

// On a slow machine, a login whose turn does not come in time is told to retry.
func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for range maxHashing {
			q.enter(t.Context(), false)
		}
		var all sync.WaitGroup
		start := time.Now()
		for i := range 2 * maxWaiting {
			all.Go(func() {
				if q.enter(t.Context(), i%2 == 0) || time.Since(start) != maxWait {
					t.Errorf("waited %v", time.Since(start))
				}
			})
		}
		synctest.Wait()
		if q.enter(t.Context(), false) || q.enter(t.Context(), true) || time.Since(start) != 0 {
			t.Errorf("one too many waited %v", time.Since(start))
		}
		all.Wait()
		for range maxHashing {
			q.leave()
		}
		if q.free != maxHashing || len(q.lines[0])+len(q.lines[1]) != 0 {
			t.Errorf("%d free, %d and %d wait", q.free, len(q.lines[0]), len(q.lines[1]))
		}
	})
}

// A guesser who tries a player's password from a thousand networks gets few hashes. It delays neither this player at a
// familiar place nor other players. When it stops, the player can log in everywhere. An unknown name looks the same.
func TestGuessingLocksNobodyOut(t *testing.T) {
	for _, name := range []string{"alice", "nobody"} {
		synctest.Test(t, func(t *testing.T) {
			l := newCrowd(t)
			if status, _, _ := l.try(t, "192.0.2.1", "alice", "swordfish"); status != http.StatusOK {
				t.Fatal(status)
			}
			time.Sleep(time.Minute)
			count := map[int]int{}
			for i := range 1000 {
				status, _, _ := l.try(t, elsewhere(i), name, "guess")
				if count[status]++; i%250 == 0 {
					if status, _, took := l.try(t, "192.0.2.1", "alice", "swordfish"); status != http.StatusOK || took > hashTime {
						t.Errorf("at home the player is answered %d after %v", status, took)
					}
					if status, _, _ := l.try(t, elsewhere(2000+i), "bob", "swordfish"); status != http.StatusOK {
						t.Errorf("another player is answered %d", status)
					}
				}
				time.Sleep(60 * time.Millisecond)
			}
			if n := count[http.StatusUnauthorized]; n < 30 || n > 45 || n+count[http.StatusTooManyRequests] != 1000 {
				t.Errorf("a guesser under the name %s for a minute is answered %v", name, count)
			}
			time.Sleep(time.Minute / (3 * guestNetworks))
			if status, _, _ := l.try(t, "198.51.100.1", "alice", "swordfish"); status != http.StatusOK {
				t.Errorf("at a new place, after it, the player is answered %d", status)
			}
		})
	}
}

// During the guesses, the player at a new place gets in at once if one network guesses all the time, and after some tries if a
// hundred networks use up their allowances: each network has the same chance.
func TestNewPlaceDuringGuesses(t *testing.T) {
	for networks, every := range map[int]time.Duration{1: time.Second, 100: 20 * time.Second} {
		t.Run(fmt.Sprint(networks), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newCrowd(t)
				over := make(chan struct{})
				var crowd sync.WaitGroup
				for i := range networks {
					rng := rand.New(rand.NewPCG(uint64(i), 2))
					crowd.Go(func() {
						for {
							select {
							case <-over:
								return
							case <-time.After(every/2 + time.Duration(rng.Int64N(int64(every)))):
								l.try(t, elsewhere(i), "alice", "guess")
							}
						}
					})
				}
				time.Sleep(3 * time.Minute)
				start, tries, status := time.Now(), 0, 0
				rng := rand.New(rand.NewPCG(1, 2))
				for status != http.StatusOK && tries < 1000 {
					tries++
					var retry time.Duration
					if status, retry, _ = l.try(t, "198.51.100.1", "alice", "swordfish"); status != http.StatusOK {
						time.Sleep(retry + time.Duration(rng.Int64N(int64(2*time.Second)))) // people are not punctual
					}
				}
				if status != http.StatusOK || networks == 1 && tries > 1 {
					t.Errorf("answered %d after %d tries", status, tries)
				}
				t.Logf("in after %d tries, %v", tries, time.Since(start))
				close(over)
				crowd.Wait()
			})
		})
	}
}

// A familiar place has a limited allowance too, which does not suffice for guessing.
func TestAllowanceAtHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newCrowd(t)
		l.try(t, "192.0.2.1", "alice", "swordfish")
		limited := 0
		for range 100 {
			if status, _, _ := l.try(t, "192.0.2.1", "alice", "guess"); status == http.StatusTooManyRequests {
				limited++
			}
		}
		if limited < 85 {
			t.Errorf("of 100 guesses %d were refused", limited)
		}
	})
}

// The number of familiar places of a player is bounded. The newest stay.
func TestFamiliarPlaces(t *testing.T) {
	f := newFamiliar()
	at := func(i int) player { return player{"alice", netip.MustParseAddr(elsewhere(i))} }
	for i := range 2 * maxFamiliar {
		f.add(at(0))
		f.add(at(i))
	}
	if len(f.networks["alice"]) != maxFamiliar || !f.has(at(0)) || !f.has(at(2*maxFamiliar-1)) || f.has(at(maxFamiliar)) || f.has(player{"bob", at(0).from}) {
		t.Errorf("%v", f.networks)
	}
}

// A request under a foreign host name is refused with advice. A trusted proxy may use any name.
func TestForeignNameGetsNoToken(t *testing.T) {
	for _, c := range []struct {
		names        hostname.Guard
		host, remote string
		status       int
	}{
		{hostname.Guard{}, "127.0.0.1:8080", "127.0.0.1:5000", 200},
		{hostname.Guard{}, "localhost:8080", "[::1]:5000", 200},
		{hostname.Guard{}, "evil.example:8080", "127.0.0.1:5000", 403},
		{hostname.Guard{}, "evil.example:8080", "192.0.2.1:5000", 403},
		{hostname.Guard{}, "192.0.2.2:8080", "192.0.2.1:5000", 200},
		{hostname.Guard{Hosts: []string{"login.example"}}, "login.example", "192.0.2.1:5000", 200},
		{hostname.Guard{Hosts: []string{"login.example"}}, "evil.example", "192.0.2.1:5000", 403},
		{hostname.Guard{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, "login.example", "127.0.0.1:5000", 200},
		{hostname.Guard{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, "login.example", "192.0.2.1:5000", 403},
	} {
		l := newLab(t, func(s *serviceConfig) { s.names = c.names })
		status, answer, _ := l.post(t, alice, func(r *http.Request) { r.Host, r.RemoteAddr = c.host, c.remote })
		text, _ := answer["error"].(string)
		if status != c.status || status == 403 && !strings.Contains(text, "-names") {
			t.Errorf("%s from %s: %d %v", c.host, c.remote, status, answer)
		}
	}
}

// fakeConn is a connection from an address.
type fakeConn struct {
	net.Conn
	from   string
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}
func (c *fakeConn) Close() error { c.closed = true; return nil }

// The number of connections is bounded, in total and per network. A proxy or this machine may use all. Closed connections do
// not count.
func TestConnectionsAreBounded(t *testing.T) {
	d := newDoor(hostname.Guard{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	for _, c := range []struct {
		from func(i int) string
		most int
	}{
		{func(i int) string { return fmt.Sprintf("192.0.2.1:%d", 1000+i) }, maxOfNetwork},
		{func(i int) string { return fmt.Sprintf("[2001:db8::%x]:5000", i+1) }, maxOfNetwork},
		{func(i int) string { return fmt.Sprintf("[2001:db8:0:%x::1]:5000", i) }, maxConnections},
		{func(i int) string { return fmt.Sprintf("127.0.0.1:%d", 1000+i) }, maxConnections},
		{func(i int) string { return fmt.Sprintf("[::1]:%d", 1000+i) }, maxConnections},
		{func(i int) string { return fmt.Sprintf("10.1.1.1:%d", 1000+i) }, maxConnections},
	} {
		var all []*fakeConn
		open := 0
		for i := range maxConnections + 10 {
			conn := &fakeConn{from: c.from(i)}
			d.note(conn, http.StateNew)
			d.note(conn, http.StateActive)
			d.note(conn, http.StateIdle)
			if conn.closed {
				d.note(conn, http.StateClosed)
			} else {
				open++
				all = append(all, conn)
			}
		}
		if open != c.most {
			t.Errorf("%s: %d are open, want %d", c.from(0), open, c.most)
		}
		for _, conn := range all {
			d.note(conn, http.StateClosed)
		}
		if d.all != 0 || len(d.of) != 0 {
			t.Errorf("%s: %d, %v remain", c.from(0), d.all, d.of)
		}
	}
}

// Package http's server applies the door's decision: it closes the connection, reports its end, and serves others.
func TestDoorOfTheServer(t *testing.T) {
	l := newLab(t, nil)
	d := newDoor(hostname.Guard{})
	d.all = maxConnections - 1 // room for one
	web := httptest.NewUnstartedServer(l)
	web.Config.ConnState = d.note
	web.Start()
	defer web.Close()
	first, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	left := func(want int) {
		t.Helper()
		for range 10_000 {
			d.mu.Lock()
			n := d.all
			d.mu.Unlock()
			if n == want {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("never %d connections", want)
	}
	left(maxConnections)
	second, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = second.SetDeadline(time.Now().Add(20 * time.Second))
	if n, err := second.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("one too many is served")
	}
	_ = second.Close()
	_ = first.Close()
	left(maxConnections - 1)
	over(t, web.URL+"/token")
}
