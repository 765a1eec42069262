"""Calls in processes of their own, by the procedure of one paper."""
