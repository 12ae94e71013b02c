// Package snowball draws the snowball fight of examples/snowball.
package snowball
