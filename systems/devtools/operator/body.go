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

// What bodies may be, in bytes.
const (
	maxBody = 4 << 10
	maxText = 500
)

// EmptyBody is what lock, unlock and drain of a room take, and check.
type EmptyBody struct{}

// EndBody is what end takes.
type EndBody struct {
	// Reason stands in the logs; players hear that the room has ended.
	Reason string `json:"reason"`
}

// PlayerBody is what kick and ban take.
type PlayerBody struct {
	// Player is the id, as text: ids are larger than numbers of JSON are exact.
	Player string `json:"player"`
}

// BroadcastBody is what broadcast takes.
type BroadcastBody struct {
	// Text is told to all players in the room, 1 to 500 bytes in one line.
	Text string `json:"text"`
}

// DrainBody is what drain of the process takes.
type DrainBody struct {
	// Process is its name, so that nobody drains another one than they mean.
	Process string `json:"process"`
}

// order is a body that was read: what an action is to do.
type order struct {
	text    string
	player  uint64
	process string
}

// read reads the body of a request.
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

// oneLine is the failure of a text that is too long, or more than a line.
func oneLine(name, text string) error {
	if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fail("bad_body", "The "+name+" is one line of at most "+strconv.Itoa(maxText)+" bytes.")
	}
	return nil
}
