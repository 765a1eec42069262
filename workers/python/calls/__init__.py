"""Calls of a library."""
