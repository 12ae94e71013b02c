// Command mutants checks the tests of the rules: it breaks each rule once, in
// one small place, runs the rule's test, and expects it to fail. A mutant that
// survives shows a test that would pass with the rule removed.
//
//	go run ./internal/mutants              all mutants, at the end: killed N survived M
//	go run ./internal/mutants A5 Session9  those of some rules
//	go run ./internal/mutants -list        what there is, without running it
//	go run ./internal/mutants -quotes      whether every quote stands once, in a second
//
// The mutants stand in tables, folder rules: the rule and the test that must notice, the
// file and the function that is changed, a text that stands once in that function, and the
// text in its place. Function "-" is what stands outside of all functions.
//
//	A5 systems.TestNetcodeA5_ReplaysFromTheNext
//	systems/client_reconcile.go replay
//	- max(s+1, c.log.first)
//	+ max(s+2, c.log.first)
//
// The source stays untouched: the compiler is given changed files as an overlay.
// All mutants of a package are compiled at once, and the environment chooses one
// when a test runs; those outside of function bodies are compiled one by one. A test
// must pass on the source as it is, or it would kill whatever it is given: otherwise
// its mutants count as broken. Every test named TestNetcode… or TestDecision… must
// have a mutant of its rule. Rules of sessions and snapshots are numbered in their
// tests.
package main
