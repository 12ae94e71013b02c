// Command mutants measures how many faults the tests detect. It changes one operator of the source at a time and runs the
// tests that reach it. A changed program is called a mutant. A mutant is killed if a test fails, and alive otherwise.
//
//	go run ./internal/tools/mutants -sample 1                     60 mutants of each package
//	go run ./internal/tools/mutants -sample 7 -n 14 ./systems/rooms    14 mutants of one package
//	go run ./internal/tools/mutants -h                            all flags
//
// gremlins, pinned in internal/lint, lists the operators that it would change in the files that this machine compiles. The
// command orders them by a hash of the seed and of the change and draws the first -n of each package, so an edit of a package
// replaces few of its mutants.
//
// The source stays untouched: the go command reads changed files from an overlay. Each changed function becomes a function that
// calls its original or one of its mutants, and an environment variable selects the mutant when a test runs (mutant schemata:
// Untch, Offutt and Harrold, "Mutation analysis using mutant schemata", 1993). A mutant outside of function bodies, in a
// constant for example, is compiled alone.
//
// Each test first runs alone without a mutant, to measure its cost and the mutants that it reaches. The user's cache keeps this
// by the hash of the test binary. Then the command runs each mutant against the tests that reach it: those of its own package
// first, the cheapest first. A mutant is killed once a test fails twice with it and passes without it. It is alive if no test
// reaches it, or if -budget is spent.
//
// equivalent.txt lists mutants that behave like the original, with the reason: at most a tenth of all drawn.
package main
