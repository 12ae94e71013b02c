// Command mutants checks the tests of the rules: it breaks each rule once, in
// one small place, runs the rule's test, and expects it to fail. A mutant that
// survives shows a test that would pass with the rule removed.
//
//	go run ./internal/mutants              all mutants, at the end: killed N survived M
//	go run ./internal/mutants A5 Session9  those of some rules
//	go run ./internal/mutants -list        what there is, without running it
//
// A mutant stands above the test that must notice it, as directives; text in the
// source file is replaced by other text, and must be there exactly once:
//
//	//mutant:rule A5 systems/client_reconcile.go
//	//mutant:from from := max(s+1, c.log.first)
//	//mutant:to from := max(s+2, c.log.first)
//	func TestNetcodeA5_…(t *testing.T)
//
// The source stays untouched: the compiler is given changed files as an overlay.
// All mutants of a package are compiled at once, and the environment chooses one
// when a test runs; those outside of function bodies are compiled one by one. A test
// must pass on the source as it is, or it would kill whatever it is given: otherwise
// its mutants count as broken. Every test named TestNetcode… or TestDecision… must
// have a mutant of its rule. Rules of sessions and snapshots are numbered in their
// tests.
package main
