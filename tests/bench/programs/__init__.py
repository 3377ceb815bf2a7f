"""The programs that are measured, each one a script for a fresh process."""
