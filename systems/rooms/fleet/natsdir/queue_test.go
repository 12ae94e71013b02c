package natsdir

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// queued asks a process for a seat in the queue, again and again, until it gets one: the room.
func queued(ctx context.Context, site, kind string, player, party uint64) (room string, err error) {
	body := fmt.Sprintf(`{"kind":%q,"wait":5}`, kind)
	if party != 0 {
		body = fmt.Sprintf(`{"kind":%q,"wait":5,"party":"party %d","party_size":2}`, kind, party)
	}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, site+"/rooms/queue", strings.NewReader(body))
		if err != nil {
			return "", err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Player", fmt.Sprint(player))
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		var got struct{ Room, Token, Message string }
		err = json.NewDecoder(a.Body).Decode(&got)
		_ = a.Body.Close()
		switch {
		case a.StatusCode == http.StatusAccepted, a.StatusCode == http.StatusServiceUnavailable:
		case err != nil || a.StatusCode != http.StatusOK || got.Token == "":
			return "", fmt.Errorf("player %d: %s, %q, %w", player, a.Status, got.Message, err)
		default:
			return got.Room, nil
		}
	}
}

// By HTTP, the members of a party that ask two processes get seats in one room. When the process that matches is cut off from the
// directory while they wait, another one does so.
func TestQueueByHTTP(t *testing.T) {
	t.Parallel()
	s := embedded(t, 1)
	key := netcode.GenerateKey(nil)
	var sites []string
	var all []*venue
	var directories []*Directory
	for _, name := range []string{"one", "two", "three"} {
		ctx, enough := context.WithTimeout(t.Context(), patience)
		d, err := Open(ctx, s.Config())
		enough()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		v := newVenue(t, name, key, d)
		handler, err := web.New(web.Config{}, v.fleet)
		if err != nil {
			t.Fatal(err)
		}
		site := httptest.NewServer(handler)
		t.Cleanup(site.Close)
		all, sites, directories = append(all, v), append(sites, site.URL), append(directories, d)
	}
	within(t, "they know each other", func() bool {
		for _, v := range all {
			if v.fleet.Ready() != nil || len(v.fleet.List()) != 6 {
				return false
			}
		}
		return true
	})
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	kind := all[0].Kinds()[0].Name
	type answer struct {
		room string
		err  error
	}
	ask := func(site int, player, party uint64) <-chan answer {
		got := make(chan answer, 1)
		go func() {
			room, err := queued(ctx, sites[site], kind, player, party)
			got <- answer{room, err}
		}()
		return got
	}
	together := func(one, two <-chan answer) {
		t.Helper()
		if a, b := <-one, <-two; a.err != nil || b.err != nil || a.room != b.room {
			t.Fatalf("%q, %v and %q, %v", a.room, a.err, b.room, b.err)
		}
	}
	together(ask(0, 101, 1), ask(1, 102, 1))
	matcher := func() bool {
		r, err := directories[1].List(ctx, "matching.")
		return err == nil && len(r) == 1
	}
	alone, quit := context.WithCancel(ctx)
	go func() { _, _ = queued(alone, sites[0], kind, 103, 3) }() // half a party, so that its process matches
	within(t, "a process matches", matcher)
	half := ask(1, 104, 4)
	quit()
	directories[0].Close()
	together(half, ask(2, 105, 4))
}
