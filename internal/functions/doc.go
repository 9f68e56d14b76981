// Package functions has the provider's functions (provider::aktrust::NAME), one in each file.
//
// They are shells over the packages on their subjects: a function reads its arguments, asks the library, and words what
// the library refuses. None of them dials, reads a file or looks at the environment, so that core may call them whenever
// it likes, the provider's configuration being known or not. Core itself refuses a null for an argument, and does not
// call a function while anything in its arguments is unknown.
package functions
