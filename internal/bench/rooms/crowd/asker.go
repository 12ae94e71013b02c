package crowd

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// answerTime is the timeout of a request.
const answerTime = 15 * time.Second

// Asker requests seats over HTTP. Any goroutine may use it.
type Asker struct {
	http *http.Client

	mu    sync.Mutex
	doors []door
}

// door is the address of a process for HTTP requests.
type door struct {
	url  string
	shut time.Time // not used before this time, because it did not answer
}

// shutTime is how long an unresponsive address is avoided, as a load balancer would do.
const shutTime = 2 * time.Second

// NewAsker returns an Asker. doors are the addresses, as beginnings of URLs. Each of them answers for the whole fleet.
func NewAsker(doors ...string) *Asker {
	a := &Asker{http: &http.Client{
		Timeout:   answerTime,
		Transport: &http.Transport{MaxIdleConnsPerHost: 4096, IdleConnTimeout: time.Minute, DisableCompression: true},
	}}
	for _, url := range doors {
		a.doors = append(a.doors, door{url: url})
	}
	return a
}

// Move replaces the address of a process.
func (a *Asker) Move(n int, url string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.doors[n] = door{url: url}
}

// door returns address n, or the next responsive one.
func (a *Asker) door(n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for i := range a.doors {
		if d := a.doors[(n+i)%len(a.doors)]; !now.Before(d.shut) {
			return d.url
		}
	}
	return a.doors[n%len(a.doors)].url
}

// silent records that an address did not answer.
func (a *Asker) silent(url string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.doors {
		if a.doors[i].url == url {
			a.doors[i].shut = time.Now().Add(shutTime)
		}
	}
}

// count returns the number of addresses.
func (a *Asker) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.doors)
}

// Close closes idle connections.
func (a *Asker) Close() { a.http.CloseIdleConnections() }

// Answer is the answer to a request.
type Answer struct {
	Given *Given // nil: no seat
	// Refused is the error code, or "" for a seat.
	Refused string
	Status  int
	At      time.Time // time of the answer
}

// Given is an assigned seat.
type Given struct {
	Seat    Seat
	Player  uint64
	Token   *netcode.ConnectToken
	Expires time.Time
}

// Seat identifies a seat and the address of its process.
type Seat struct {
	At     netip.AddrPort
	Room   rooms.ID
	Number uint16
}

// Join requests a seat in any room, or in a new one.
func (a *Asker) Join(ctx context.Context, door int, player uint64) (Answer, error) {
	return a.ask(ctx, door, "/rooms/join", `{"kind":"`+kind+`"}`, player)
}

// Create requests a new room and a seat in it.
func (a *Asker) Create(ctx context.Context, door int, player uint64) (Answer, error) {
	return a.ask(ctx, door, "/rooms/create", `{"kind":"`+kind+`"}`, player)
}

// Enter requests a seat in a given room.
func (a *Asker) Enter(ctx context.Context, door int, player uint64, room rooms.ID) (Answer, error) {
	return a.ask(ctx, door, "/rooms/"+room.String()+"/join", `{}`, player)
}

// Reconnect requests a new token for the player's seat in a room.
func (a *Asker) Reconnect(ctx context.Context, door int, player uint64, room rooms.ID) (Answer, error) {
	return a.ask(ctx, door, "/rooms/"+room.String()+"/reconnect", `{}`, player)
}

// ask sends a request. It returns an error if there was no answer.
func (a *Asker) ask(ctx context.Context, door int, path, body string, player uint64) (x Answer, err error) {
	at := a.door(door)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return x, err
	}
	r.Header["Content-Type"] = []string{"application/json"}
	r.Header["Player"] = []string{strconv.FormatUint(player, 10)}
	got, err := a.http.Do(r)
	if err != nil {
		a.silent(at)
		return x, err
	}
	defer got.Body.Close()
	b, err := io.ReadAll(io.LimitReader(got.Body, 1<<16))
	if err != nil {
		return x, err
	}
	x.At, x.Status = time.Now(), got.StatusCode
	if got.StatusCode != http.StatusOK && got.StatusCode != http.StatusCreated {
		var f web.Failure
		if err := json.Unmarshal(b, &f); err != nil || f.Code == "" {
			return x, fmt.Errorf("status %d with %.80q, which is no refusal", got.StatusCode, b)
		}
		x.Refused = f.Code
		return x, nil
	}
	var m web.Admission
	if err := json.Unmarshal(b, &m); err != nil {
		return x, err
	}
	raw, err := base64.StdEncoding.DecodeString(m.Token)
	if err != nil {
		return x, err
	}
	token, err := netcode.ParseToken(raw)
	if err != nil {
		return x, err
	}
	x.Given = &Given{Seat{token.Servers[0], m.Room, m.Seat}, player, token, m.Expires}
	return x, nil
}
