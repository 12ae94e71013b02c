package systemstest

import (
	"errors"
	"fmt"
)

// reporter is the part of [testing.TB] that a [Crowd] uses.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	FailNow()
}

// Open creates a crowd for a program, such as a benchmark. It returns an error if
// the configuration is wrong. Methods that would fail a test panic in such a crowd:
// check [Crowd.Err] and the clients instead.
func Open(config Config) (c *Crowd, err error) {
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(failure)
			if !ok {
				panic(r)
			}
			c, err = nil, failed.error
		}
	}()
	return create(program{}, config), nil
}

// program is the reporter of a crowd without a test: each failure is a panic.
type program struct{}

// failure is the value of these panics.
type failure struct{ error }

func (program) Helper() {}

func (program) Errorf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func (p program) Fatalf(format string, args ...any) { p.Errorf(format, args...) }

func (program) FailNow() { panic(failure{errors.New("systemstest: a client did not connect")}) }
