"""The tests: promises of the package, kept on real files and real processes."""
