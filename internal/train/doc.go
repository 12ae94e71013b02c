// Package train makes priors for the coders of package codec/delta from sample blocks, for the command codec/train.
//
//   - Train on blocks: [Trainer].
package train
