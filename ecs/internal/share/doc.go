// Package share splits the rows of tables among workers: [List], once [Check] has seen that
// their type says what it reads and what it writes.
package share
