// Package needs is which systems of a schedule a model cannot do without.
//
//   - Refuse a schedule that lacks one: [Server], [Client].
package needs
