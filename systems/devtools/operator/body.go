package operator

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tactusgo/tactus/internal/jsonbody"
)

// Limits of bodies, in bytes.
const (
	maxBody = 4 << 10
	maxText = 500
)

// EmptyBody is the body of lock, unlock and drain of a room, and of check.
type EmptyBody struct{}

// EndBody is the body of end.
type EndBody struct {
	// Reason appears in the logs. Players are only told that the room has ended.
	Reason string `json:"reason"`
}

// PlayerBody is the body of kick and ban.
type PlayerBody struct {
	// Player is the id as text, because ids exceed the exact numbers of JSON.
	Player string `json:"player"`
}

// BroadcastBody is the body of broadcast.
type BroadcastBody struct {
	// Text is sent to all players in the room: one line of 1 to 500 bytes.
	Text string `json:"text"`
}

// DrainBody is the body of drain for the process.
type DrainBody struct {
	// Process is the name of the process, so that nobody drains the wrong one.
	Process string `json:"process"`
}

// order is a parsed body.
type order struct {
	text    string
	player  uint64
	process string
}

// read parses the body of a request.
func read[T interface{ order() (order, error) }](w http.ResponseWriter, r *http.Request) (order, error) {
	b, err := jsonbody.Read[T](w, r, maxBody)
	if err != nil {
		if x, ok := errors.AsType[*jsonbody.Error](err); ok {
			return order{}, fail(x.Code, x.Message)
		}
		return order{}, err
	}
	return b.order()
}

func (EmptyBody) order() (order, error) { return order{}, nil }

func (b EndBody) order() (order, error) { return order{text: b.Reason}, oneLine("reason", b.Reason) }

func (b BroadcastBody) order() (order, error) {
	if b.Text == "" {
		return order{}, fail("bad_body", "The text is empty: say what players are to be told.")
	}
	return order{text: b.Text}, oneLine("text", b.Text)
}

func (b PlayerBody) order() (order, error) {
	n, err := strconv.ParseUint(b.Player, 10, 64)
	if err != nil || n == 0 {
		return order{}, fail("bad_body", `The player is its id as text: a number from 1 to 18446744073709551615, such as {"player":"17"}.`)
	}
	return order{player: n}, nil
}

func (b DrainBody) order() (order, error) {
	if b.Process == "" {
		return order{}, fail("bad_body", "The process is missing: name the one that you mean.")
	}
	return order{process: b.Process}, nil
}

// oneLine returns a failure if the text is too long or not a single line.
func oneLine(name, text string) error {
	if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fail("bad_body", "The "+name+" is one line of at most "+strconv.Itoa(maxText)+" bytes.")
	}
	return nil
}
