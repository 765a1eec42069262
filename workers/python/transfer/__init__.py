"""Transfers of files between two processes: the scheme of one paper, which README.md describes."""
