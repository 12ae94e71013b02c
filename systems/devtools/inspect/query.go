package inspect

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tactusgo/tactus/components"
)

// query holds the parameters of a request.
type query struct {
	id, entity components.NetID // 0: not given
	after      components.NetID
	client     uint32
	owner      uint32
	owned      bool // owner was given
	limit      int
	component  string
	archetypes bool
}

// errQuery is wrapped by errors about invalid parameters.
var errQuery = errors.New("this is not understood")

// Limits of a query: entities in a response, and bytes of a name.
const (
	defaultLimit = 50
	mostLimit    = 200
	mostName     = 200
)

// parseQuery parses the query part of a URL. Unknown parameters are errors, so that misspelled ones are noticed.
func parseQuery(raw string) (query, error) {
	q := query{limit: defaultLimit}
	if len(raw) > 1024 {
		return q, fmt.Errorf("%w: %d bytes, at most 1024 are allowed", errQuery, len(raw))
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, fmt.Errorf("%w: %q", errQuery, raw)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list := values[name]
		if len(list) != 1 {
			return q, fmt.Errorf("%w: %q is given %d times", errQuery, name, len(list))
		}
		if err := q.set(name, list[0]); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (q *query) set(name, value string) error {
	number := func(least, most uint32) (uint32, error) {
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil || n < uint64(least) || n > uint64(most) {
			return 0, fmt.Errorf("%w: %s=%q: a number from %d to %d is allowed", errQuery, name, value, least, most)
		}
		return uint32(n), nil
	}
	const all = 1<<32 - 1
	var n uint32
	var err error
	switch name {
	case "id":
		n, err = number(1, all)
		q.id = components.NetID(n)
	case "entity":
		n, err = number(1, all)
		q.entity = components.NetID(n)
	case "after":
		n, err = number(0, all)
		q.after = components.NetID(n)
	case "client":
		q.client, err = number(1, all)
	case "owner":
		q.owner, err = number(0, all)
		q.owned = true
	case "limit":
		n, err = number(1, mostLimit)
		q.limit = int(n)
	case "archetypes":
		n, err = number(0, 1)
		q.archetypes = n == 1
	case "component":
		if len(value) > mostName || !utf8.ValidString(value) {
			return fmt.Errorf("%w: component: a name of at most %d bytes is allowed", errQuery, mostName)
		}
		q.component = value
	default:
		return fmt.Errorf("%w: unknown parameter %q", errQuery, name)
	}
	return err
}
