// Package ledger is what a process says in a directory, and by which right: compare-and-set, claims, and who sweeps.
//
//   - What a directory keeps: [Record]; one in memory: [Memory]. Send changes to everybody who watches: [Watchers].
//   - Claim the name of the process, and know whether the claim holds: [Claim].
//   - Write under a claim, never over what another process has written: [Ledger.Write], [Ledger.TakeBack].
//   - Do so when something changes, claim the name anew when the claim was lost, and remove what processes have left that
//     are gone: [Scribe].
//
// It knows nothing of rooms but that their entries name a process and its claim.
package ledger
