package rooms

import (
	"fmt"
	"maps"
	"math"
)

const (
	maxOptions = 16
	maxKey     = 32
	maxText    = 64
)

// Options are published properties of a room, for lists and filters: at most 16 strings of 64 bytes, bools and numbers,
// under keys of 1 to 32 bytes.
type Options map[string]any

// Clean returns a copy with all numbers as float64, or an error that wraps [ErrOptions].
func (o Options) Clean() (Options, error) {
	if len(o) > maxOptions {
		return nil, fmt.Errorf("%w: %d of them, at most %d", ErrOptions, len(o), maxOptions)
	}
	clean := make(Options, len(o))
	for k, v := range o {
		if len(k) < 1 || len(k) > maxKey {
			return nil, fmt.Errorf("%w: the key %.40q, want 1 to %d bytes", ErrOptions, k, maxKey)
		}
		switch x := v.(type) {
		case string:
			if len(x) > maxText {
				return nil, fmt.Errorf("%w: %s has %d bytes, at most %d", ErrOptions, k, len(x), maxText)
			}
		case bool:
		case int:
			v = float64(x)
		case float64:
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("%w: %s is %v", ErrOptions, k, x)
			}
		default:
			return nil, fmt.Errorf("%w: %s is a %T; want a string, a bool, an int or a float64", ErrOptions, k, v)
		}
		clean[k] = v
	}
	return clean, nil
}

// Has reports whether o contains all entries of wanted. Both must be clean.
func (o Options) Has(wanted Options) bool {
	for k, v := range wanted {
		if x, ok := o[k]; !ok || x != v {
			return false
		}
	}
	return true
}

// with returns o with the entries of more added.
func (o Options) with(more Options) Options {
	all := make(Options, len(o)+len(more))
	maps.Copy(all, o)
	maps.Copy(all, more)
	return all
}
