// Command mutants checks the tests of the rules: it breaks each rule once, in
// one small place, runs the rule's test, and expects it to fail. A mutant that
// survives shows a test that would pass with the rule removed.
//
//	go run ./internal/mutants              all mutants, at the end: killed N survived M
//	go run ./internal/mutants A5 Session9  those of some rules
//	go run ./internal/mutants -list        what there is, without running it
//	go run ./internal/mutants -quotes      whether every quote stands once, in a second
//	go run ./internal/mutants -sample 1    of each package 60 mutants that nobody chose
//
// The mutants stand in tables, folder rules: the rule and the test that must notice, the
// file and the function that is changed, a text that stands once in that function, and the
// text in its place. Function "-" is what stands outside of all functions.
//
//	A5 systems.TestNetcodeA5_MismatchReplaysExactlyTheRest
//	systems/reconcile/replay.go replay
//	- p.Step(first + i)
//	+ p.Step(p.Applied() - i)
//
// The source stays untouched: the compiler is given changed files as an overlay.
// All mutants of a package are compiled at once, and the environment chooses one
// when a test runs; those outside of function bodies are compiled one by one. A test
// must pass on the source as it is, or it would kill whatever it is given: otherwise
// its mutants count as broken. Every test named TestNetcode… or TestDecision… must
// have a mutant of its rule. Rules of sessions and snapshots are numbered in their
// tests.
//
// A sample shows what nobody thought of. gremlins, pinned in internal/lint, says where
// it would change an operator in the files that this machine compiles; of these a hash of
// the seed and of what is changed draws -n in each package, so that other changes to the
// package move few of them. All mutants of all packages are compiled at once into the
// tests of each package that depends on one of them. Each test runs alone
// once, to know what it costs and which mutants it reaches; this is kept in the user's
// cache, by the hash of the test binary. Then each mutant is given the tests that reach
// it, those of its package first, the cheapest first, until one fails twice with it and
// passes without it, or -budget is spent: a mutant that no test reaches, or that outlives
// its budget, is alive. Which test noticed is kept too, and runs first the next time.
// equivalent.txt names mutants that change nothing that anybody could notice, with the
// reason: at most a tenth of a package's.
package main
