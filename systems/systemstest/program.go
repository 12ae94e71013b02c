package systemstest

import "fmt"

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
func Open(config Config) (*Crowd, error) {
	c, err := create(config)
	if err != nil {
		return nil, err
	}
	c.t = program{}
	return c, nil
}

// program is the reporter of a crowd without a test: each failure is a panic.
type program struct{}

func (program) Helper() {}

func (program) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (p program) Fatalf(format string, args ...any) { p.Errorf(format, args...) }

func (program) FailNow() { panic("systemstest: a client did not connect") }
