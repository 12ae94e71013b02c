// Package house holds the rules of the repository as tests; it has no code of
// its own. What each file keeps:
//
//   - imports_test.go: imports run one way, and third-party modules stay behind
//     the package that may use them
//   - rooms_test.go: what the packages below systems may import of each other
//   - links_test.go: what a program links that imports ours
//   - rules_test.go: every rule that a test proves is stated in docs/netcode-rules.md
//   - logs_test.go: libraries log where they are told
//   - corpora_test.go: inputs of fuzzing lie beside their targets
//   - docs_test.go: every package and every exported name is documented
//   - files_test.go: the fixed top level, and words and host names that do not
//     belong in the tree
//   - markdown_test.go: listings equal the code that is compiled, links resolve
//
// The rules themselves are tables at the top of these files. The tests read the
// source and never build it, so they also judge a tree that does not compile.
package house
