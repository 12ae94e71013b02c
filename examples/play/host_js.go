package main

import "github.com/tactusgo/tactus/examples/play/internal/stage"

// hosts is empty: a page cannot listen.
var hosts map[string]func(o *stage.Options) (address string, stop func(), err error)
