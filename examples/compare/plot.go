package main

import "github.com/tactusgo/tactus/examples/compare/trial"

func plot(trial.Results) []byte { return nil }
