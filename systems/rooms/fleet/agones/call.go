package agones

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// callTime is the timeout of a call. The SDK server is on the same machine.
	callTime = time.Second
	// answerMost is the largest number of bytes read of an answer. Annotations may have 256 KiB.
	answerMost = 1 << 20
)

// caller calls the SDK server.
type caller struct {
	base string
	http *http.Client
}

func newCaller(port int) caller {
	return caller{"http://localhost:" + strconv.Itoa(port), &http.Client{
		Transport:     &http.Transport{MaxIdleConns: 2, IdleConnTimeout: time.Minute, DisableCompression: true}, // never by a proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// call sends a request and, unless where is nil, decodes the answer into where.
func (c caller) call(ctx context.Context, method, path string, body, where any) error {
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Header["Content-Type"] = []string{"application/json"}
	got, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	b, err = io.ReadAll(io.LimitReader(got.Body, answerMost+1))
	if err != nil {
		return err
	}
	return read(got.StatusCode, b, where)
}

// read decodes an answer.
func read(status int, b []byte, where any) error {
	switch {
	case len(b) > answerMost:
		return fmt.Errorf("an answer of more than %d bytes", answerMost)
	case status != http.StatusOK:
		var why struct{ Message string }
		_ = json.Unmarshal(b, &why) // the status says enough
		return fmt.Errorf("status %d: %.200q", status, why.Message)
	case where == nil:
		return nil
	}
	return json.Unmarshal(b, where)
}

// nothing is an empty request body.
type nothing struct{}

// gameServer is the used part of the GameServer resource.
type gameServer struct {
	Meta struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"object_meta"`
	Status struct {
		State   string `json:"state"`
		Address string `json:"address"`
		Ports   []struct {
			Name string `json:"name"`
			Port int    `json:"port"`
		} `json:"ports"`
		Counters map[string]counter `json:"counters"`
	} `json:"status"`
}

// counter is a counter of a GameServer. Its numbers may be quoted.
type counter struct {
	Count    json.Number `json:"count"`
	Capacity json.Number `json:"capacity"`
}

// drains reports whether the resource requests a drain.
func (g *gameServer) drains() bool {
	for _, said := range []string{g.Meta.Labels[Drain], g.Meta.Annotations[Drain]} {
		if said != "" && said != "false" {
			return true
		}
	}
	return g.Status.State == "Shutdown"
}

// gameServer returns the GameServer of this process.
func (c caller) gameServer(ctx context.Context) (*gameServer, error) {
	g := &gameServer{}
	if err := c.call(ctx, http.MethodGet, "/gameserver", nothing{}, g); err != nil {
		return nil, err
	}
	if g.Status.State == "" {
		return nil, errors.New("an answer without a state")
	}
	return g, nil
}
